import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { botConversations } from '../../../contracts/topics.ts'
import type { Restore } from '../../bridge/archive/restore.ts'
import type { Account } from '../../bridge/domain/accounts.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import type { Erasures } from '../../bridge/mongo/erasures.ts'
import { type Asked, ofAccount, optionsOf } from '../../bridge/operations/audit.ts'
import { type Done, operation, type Run, type Stop, stop } from '../../bridge/operations/operation.ts'
import {
  accountOption,
  anyText,
  count,
  oneOf,
  type ReadOption,
  time,
  type ValuesOf,
} from '../../bridge/operations/options.ts'
import { type ProgressEvent, progress } from '../../bridge/operations/progress.ts'
import { dayMs, monotonic } from '../../bridge/shared/time.ts'
import { erasedMeanwhile } from './erased-meanwhile.ts'
import { commitOf, openReport, readAccepted } from './files.ts'
import { type AcceptedFile, accepting } from './groups.ts'
import { type Bot, startBotModule } from './in-process/bot-process.ts'
import { type Divergence, divergences } from './judge.ts'
import { prefixFor, startGroup } from './over-kafka/group-bot.ts'
import { junitXml } from './reports/junit.ts'
import { lineOf, wordHash } from './reports/line.ts'
import { reportPage } from './reports/page.ts'
import type { Report } from './reports/report.ts'
import { skippedText } from './reports/summary.ts'
import { runWhatIf } from './run.ts'
import { readChats, type Source } from './source.ts'

type Ports = {
  readonly accounts: ReadonlyArray<Account>
  readonly retentionDays: number | 'forever'
  readonly kafka: KafkaPorts
  readonly erasures: Erasures
  readonly restore: Restore | undefined
  readonly consoleUrl: string
  readonly topicPrefix: string
}

/** The exit codes. */
const [nothingNew, somethingNew, couldNotRun] = [0, 1, 2]

const kinds = [...divergences, 'words'] as const

const listOf =
  <A>(read: ReadOption<A>): ReadOption<ReadonlyArray<A>> =>
  (text) =>
    E.traverseArray((each: string) => read(each.trim()))(text.split(','))

const maxRepeats = 20

const options = {
  account: { ...accountOption('the account whose chats are asked'), isRequired: true },
  from: {
    about: 'turns of then or later: 2026-01-31T23:59:59Z or 2026-01-31',
    value: 'time',
    read: time,
    isRequired: true,
  },
  to: {
    about: 'turns before then',
    value: 'time',
    read: time,
    isRequired: true,
  },
  bot: {
    about:
      "the bot: a file that gives the kit's handlers to startBot, or whose default export, or export `bot`, they are",
    value: 'module',
    read: anyText,
    conflicts: ['group'],
  },
  group: {
    about: 'the bot: a consumer group in any language, over temporary topics',
    value: 'group',
    read: anyText,
  },
  baseline: {
    about: 'the old bot, to compare with instead of the log',
    value: 'module',
    read: anyText,
  },
  chats: {
    about: 'at most so many chats',
    value: 'number',
    read: count,
  },
  accepted: {
    about: 'the accepted changes',
    value: 'file',
    read: anyText,
    default: 'what-if.accepted.json',
  },
  accept: {
    about: 'add these groups to the accepted changes, with commas between them',
    value: 'ids',
    read: listOf(anyText),
  },
  repeat: {
    about: 'ask so often; turns in which the bot disagrees with itself do not count',
    value: 'number',
    read: count,
    default: 1,
  },
  words: {
    about: 'exact: other words are a divergence too',
    value: 'how',
    read: oneOf(['exact']),
  },
  withWords: { about: 'write what people said into the report; recorded on the topic audit' },
  network: { about: 'the bot may use the network' },
  failOn: {
    about: `the kinds that make exit code 1, with commas between them: ${kinds.join(', ')}`,
    value: 'kinds',
    read: listOf(oneOf(kinds)),
  },
  out: {
    about: 'for report.jsonl, junit.xml and report.html',
    value: 'folder',
    read: anyText,
    default: 'what-if-report',
  },
} as const
type Options = ValuesOf<typeof options>

type Selected = {
  readonly account: Account
  readonly options: Options
  readonly accepted: AcceptedFile
}

/** Files with words are kept no longer than this, as the topics are. */
const maxDays = 14

const deleteByOf = ({ retainDays = maxDays }: Account, retentionDays: Ports['retentionDays'], now: Date): string => {
  const days = Math.min(retainDays, retentionDays === 'forever' ? maxDays : retentionDays, maxDays)
  return new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10)
}

const mistakeIn = ({ bot, group, from, to, repeat, words, failOn = [] }: Options): string | undefined => {
  if (bot === undefined && group === undefined) return 'Give either --bot or --group.'
  if (group !== undefined && !/^[\w.-]{1,100}$/.test(group))
    return '--group: expected 1 to 100 of A-Z a-z 0-9 . _ -, since topics are named after it.'
  if (from >= to) return '--from must be before --to.'
  if (repeat > maxRepeats) return `--repeat: expected at most ${maxRepeats}.`
  return failOn.includes('words') && words !== 'exact' ? '--fail-on words needs --words exact.' : undefined
}

const select = async ({ accounts }: Ports, given: Options) => {
  const mistake = mistakeIn(given)
  if (mistake !== undefined) return stop('refused', mistake)
  const account = accounts.find(({ id }) => id === given.account)
  if (account === undefined) throw new Error('an unknown account was not refused')
  const accepted = readAccepted(given.accepted)
  return E.isLeft(accepted)
    ? stop('refused', accepted.left)
    : E.right({ account, options: given, accepted: accepted.right })
}

/** Words of people go to files or to another topic. Otherwise there is nothing to record. */
const actionOf = ({ options: { account, from, to, withWords, group } }: Selected): Asked | undefined => {
  if (!withWords && group === undefined) return undefined
  const [fromText, toText] = [from, to].map((ms) => new Date(ms).toISOString())
  const options = optionsOf({ account, from: fromText, to: toText, group, 'with-words': withWords })
  return { action: withWords ? 'export' : 'replay', command: 'what-if', options, ...ofAccount(account) }
}

type Bots = { readonly candidate: Bot; readonly baseline: Bot | undefined; readonly stop: () => Promise<void> }

/** Starts the bots. Left: why one of them cannot be used. */
const startBots = async (
  { kafka, topicPrefix }: Ports,
  { account, options: { bot, group, baseline, network } }: Selected,
  say: (event: WhatIfEvent) => void,
  signal: AbortSignal,
): Promise<E.Either<string, Bots>> => {
  const replyWithin = account.bot?.replyWithin ?? usualReplyWithin
  const module = (path: string) => startBotModule({ path: resolve(path), replyWithin, network: network === true })
  const old = baseline === undefined ? E.right(undefined) : await module(baseline)
  if (E.isLeft(old)) return E.left(`${baseline} cannot be used: ${old.left}`)
  const partitions = (await kafka.ranges(botConversations.name)).size
  const candidate =
    group === undefined
      ? await module(bot ?? '')
      : await startGroup({
          kafka,
          prefix: topicPrefix,
          group,
          partitions,
          replyWithin,
          ready: (topics) => say({ kind: 'group-ready', group, ...topics }),
          signal,
        })
  if (E.isLeft(candidate)) {
    await old.right?.stop()
    return E.left(bot === undefined ? candidate.left : `${bot} cannot be used: ${candidate.left}`)
  }
  const stopAll = async () => void (await Promise.all([candidate.right.stop(), old.right?.stop()]))
  return E.right({ candidate: candidate.right, baseline: old.right, stop: stopAll })
}

/** Adds the groups that are accepted now to the file that is committed. Returns the ids that no group has. */
const accept = (
  { accept: ids = [], accepted }: Options,
  file: AcceptedFile,
  groups: Report['groups'],
): ReadonlyArray<string> => {
  const chosen = groups.filter(({ id }) => ids.includes(id))
  if (chosen.length > 0) writeFileSync(accepted, `${JSON.stringify(accepting(file, chosen), null, 2)}\n`)
  return ids.flatMap((id) => (chosen.some((group) => group.id === id) ? [] : [id]))
}

/** In ms, if the account sets none: as the bridge waits. */
const usualReplyWithin = 10_000

const notesOf = ({ topicPrefix }: Ports, { network, group }: Options): ReadonlyArray<string> => [
  ...(network ? ['The bots could use the network.'] : []),
  ...(group === undefined
    ? []
    : [
        `The bot ran over the topics ${prefixFor(topicPrefix, group)}*: its clocks and quiet times were real, it could use the network, and the history that it could ask for was today's.`,
      ]),
]

const reportOf = (
  ports: Ports,
  given: Options,
  { noise, ...found }: Omit<Awaited<ReturnType<typeof runWhatIf>>, 'cases' | 'erased'>,
  { offsets, unreadable }: Pick<Source, 'offsets' | 'unreadable'>,
  { madeAt, deleteBy }: { readonly madeAt: Date; readonly deleteBy: string | undefined },
): Report => {
  const { account, from, to, bot, group, baseline } = given
  const commit = bot === undefined ? undefined : commitOf(resolve(bot))
  return {
    account,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    candidate: bot ?? `group ${group}`,
    ...(baseline !== undefined && { baseline, noise }),
    ...(commit !== undefined && { commit }),
    notes: notesOf(ports, given),
    ...found,
    offsets,
    unreadable: unreadable(),
    ...(deleteBy !== undefined && { deleteBy }),
    madeAt: madeAt.toISOString(),
  }
}

/** What is said while it runs. `group-ready`: the bot of the group can be started with this prefix and reads this topic. */
export type WhatIfEvent =
  | ProgressEvent<'asking'>
  | { readonly kind: 'group-ready'; readonly group: string; readonly prefix: string; readonly topic: string }

/** `unknown`: ids that were to be accepted and that no group has. `out`: the folder of the report. */
export type WhatIfResult = {
  readonly report: Report
  readonly unknown: ReadonlyArray<string>
  readonly out: string
}

const compare = async (
  ports: Ports,
  { account, options: given, accepted }: Selected,
  bots: Bots,
  run: Run<WhatIfEvent, never>,
  signal: AbortSignal,
): Promise<E.Either<Stop, Done<WhatIfResult>>> => {
  const { kafka, restore, erasures, retentionDays, consoleUrl } = ports
  const { from, to, repeat, chats = Number.POSITIVE_INFINITY, withWords, words, failOn = kinds, out } = given
  const now = new Date()
  const { replyWithin = usualReplyWithin, deadlineMs = 300_000, whileAgent, whenOvertaken } = account.bot ?? {}
  const meanwhile = await erasedMeanwhile(erasures, monotonic)
  const span = { account: account.id, from, until: to + replyWithin + deadlineMs }
  const source = await readChats({ kafka, restore, signal }, meanwhile.among, span)
  const telling = { hash: wordHash(account), withWords: withWords === true }
  const deleteBy = withWords ? deleteByOf(account, retentionDays, now) : undefined
  const files = openReport(out)
  try {
    const bar = progress(run.say, 'asking' as const)
    const { cases, noise, erased, ...found } = await runWhatIf(
      {
        ...telling,
        ...bots,
        source,
        rules: { replyWithin, readUntil: now.getTime(), whileAgent, whenOvertaken },
        erasures: meanwhile,
        write: (chatId, compared) => files.write(compared.map((each) => lineOf(chatId, each, telling, deleteBy))),
        onChat: () => bar.at(source.progress()),
        signal,
      },
      {
        from,
        to,
        isExact: words === 'exact',
        repeat,
        chats,
        accepted: new Set([...accepted.accepted.map(({ id }) => id), ...(given.accept ?? [])]),
        failOn: new Set<Divergence>(failOn),
      },
    )
    bar.end()
    if (found.chats.compared === 0) {
      return stop(
        'absent',
        `There is no chat to compare. Chats read: ${found.chats.read}, skipped: ${skippedText(found)}.`,
      )
    }
    const report = reportOf(ports, given, { ...found, noise }, source, { madeAt: now, deleteBy })
    const storyOf = (chatId: string) =>
      `${consoleUrl}/accounts/${encodeURIComponent(account.id)}/conversations/${encodeURIComponent(chatId)}`
    files.finish(junitXml(report, cases), reportPage(report, { ...telling, storyOf }), erased)
    const unknown = accept(given, accepted, report.groups)
    return E.right({ code: report.new > 0 ? somethingNew : nothingNew, result: { report, unknown, out } })
  } finally {
    files.discard()
  }
}

/** The conversations of the log against another bot. */
export const whatIf = operation({
  name: 'what-if',
  summary: 'ask a bot again about the conversations of the log, and report what it would do differently',
  description:
    'Ask a bot again about the conversations of the log, and report where it would do something else than the log says. Nothing is sent to the service, and no view or topic of the bridge changes. Exit code: 0 nothing new, 1 something new, 2 could not run.',
  options,
  json: 'print the result as JSON',
  exitCodeOfFailure: couldNotRun,
  needs: {
    topicPrefix: true,
    accounts: true,
    retentionDays: true,
    kafka: true,
    erasures: true,
    restore: true,
    consoleUrl: true,
  },
  select,
  action: actionOf,
  act: async (ports: Ports, selected, run: Run<WhatIfEvent, never>) => {
    const signal = run.interruption()
    const bots = await startBots(ports, selected, run.say, signal)
    if (E.isLeft(bots)) return stop('unavailable', bots.left)
    try {
      return await compare(ports, selected, bots.right, run, signal)
    } finally {
      await bots.right.stop()
    }
  },
})
