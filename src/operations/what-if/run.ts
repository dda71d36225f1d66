import * as E from 'fp-ts/lib/Either.js'
import type { ConversationEvent } from '../../../contracts/events/index.ts'
import { inOrder } from '../../shared/in-order.ts'
import { type Compared, compareChat, type Noise } from './chat.ts'
import type { ErasedMeanwhile } from './erased-meanwhile.ts'
import { laneFigures } from './figures.ts'
import { changeOf, type Group, groupsOf } from './groups.ts'
import type { Bot } from './in-process/bot-process.ts'
import { type Verdict, verdicts } from './judge.ts'
import type { TestCase } from './reports/junit.ts'
import type { Telling } from './reports/lanes.ts'
import type { Report } from './reports/report.ts'
import type { LoggedChat, Skipped, Source } from './source.ts'
import { type TurnRules, turnsOf } from './turns.ts'

export type Asked = {
  /** In ms since 1970: turns that ended then or later, and before `to`. */
  readonly from: number
  readonly to: number
  readonly isExact: boolean
  readonly repeat: number
  /** At most so many chats. */
  readonly chats: number
  readonly accepted: ReadonlySet<string>
  readonly failOn: ReadonlySet<Verdict>
}

export type Deps = Telling & {
  readonly source: Source
  readonly candidate: Bot
  readonly baseline: Bot | undefined
  readonly rules: TurnRules
  readonly erasures: ErasedMeanwhile
  /** Takes the turns of one chat after the other, in the order of the log. */
  readonly write: (chatId: string, compared: ReadonlyArray<Compared>) => void
  /** Called after each chat. */
  readonly onChat: () => void
  readonly signal: AbortSignal
}

export type Found = Pick<Report, 'chats' | 'turns' | 'groups' | 'new' | 'figures'> & {
  readonly noise: Noise
  readonly cases: ReadonlyArray<TestCase>
  /** The chats that were erased after they were written. Nothing else here knows of them. */
  readonly erased: ReadonlySet<string>
}

/** How many chats are talked in at the same time. */
const chatsAtOnce = 100

/** The first event of each person in the chat, by which an erasure finds it. */
type Persons = { readonly persons: ReadonlyArray<ConversationEvent> }

type Result = { readonly chatId: string } & (
  | { readonly skipped: Skipped }
  | (Persons & { readonly compared: ReadonlyArray<Compared>; readonly noise: Noise })
)

/** A chat with the turns that are asked, or why it is skipped. */
type Turned = { readonly chatId: string } & (
  | { readonly skipped: Skipped }
  | (Persons & { readonly turns: ReadonlyArray<Compared['turn']> })
)

const personsIn = (events: ReadonlyArray<ConversationEvent>): ReadonlyArray<ConversationEvent> => [
  ...new Map(events.toReversed().map((event) => [event.data.clientId, event])).values(),
]

/** At most so many chats that are not skipped. */
async function* turned(chats: AsyncIterable<LoggedChat>, most: number, turn: (chat: LoggedChat) => Turned) {
  let left = most
  for await (const logged of chats) {
    const chat = turn(logged)
    if ('turns' in chat) left--
    yield chat
    if (left === 0) return
  }
}

/** What the report needs to know of a chat whose turns are written. */
type Summary = Persons & {
  readonly verdicts: ReadonlyArray<Verdict>
  readonly noise: Noise
  readonly testCase: TestCase
}

type Grouped = { readonly each: Compared; readonly group: Omit<Group, 'count'> | undefined }

const resultOf = (
  compared: ReadonlyArray<Grouped>,
  isNew: (group: Pick<Group, 'isAccepted' | 'verdict'>) => boolean,
): TestCase['result'] => {
  for (const { each, group } of compared) {
    if (group === undefined || !isNew(group)) continue
    const what = `turn ${each.turn.number}: ${group.from.join(' + ') || 'silence'} → ${group.to.join(' + ') || 'silence'}`
    const message = `${what} (group ${group.id})`
    return { kind: each.verdict === 'threw' ? 'error' : 'failure', type: each.verdict, message }
  }
  const [first] = compared
  return first !== undefined && compared.every(({ each }) => each.verdict === 'not-comparable')
    ? { kind: 'skipped', type: 'not-comparable', message: first.each.reason ?? '' }
    : { kind: 'passed', type: 'same', message: '' }
}

/** Asks the bots about every chat of the source and adds up what they answer. */
export const runWhatIf = async (deps: Deps, asked: Asked): Promise<Found> => {
  const { source, candidate, baseline, rules, erasures, write, onChat, signal, hash } = deps
  const { isExact, repeat, failOn } = asked
  const counts = (events: Compared['turn']['events']) => {
    const at = Date.parse((events.at(-1) ?? events[0]).time)
    return at >= asked.from && at < asked.to
  }
  const turnsIn = (chat: LoggedChat): Turned => {
    if ('skipped' in chat) return chat
    const { chatId, events } = chat
    const turns = turnsOf(events, rules)
    const last = turns.findLastIndex((turn) => counts(turn.events))
    return last < 0
      ? { chatId, skipped: 'no-bot-message' }
      : { chatId, turns: turns.slice(0, last + 1), persons: personsIn(events) }
  }
  const talk = async (chat: Turned): Promise<Result> => {
    if ('skipped' in chat) return chat
    const { chatId, turns, persons } = chat
    if (signal.aborted) throw new Error('it was interrupted')
    const result = await compareChat(turns, {
      baseline: baseline?.converse(),
      candidates: Array.from({ length: repeat }, () => candidate.converse()),
      isExact,
      counts: ({ events }) => counts(events),
      isErased: () => erasures.isErased(persons),
    })
    return E.isLeft(result) ? { chatId, skipped: result.left } : { chatId, persons, ...result.right }
  }

  const groups = groupsOf(asked.accepted)
  const isNew = ({ isAccepted, verdict }: Pick<Group, 'isAccepted' | 'verdict'>) => !isAccepted && failOn.has(verdict)
  const figures = { observed: laneFigures(false), baseline: laneFigures(true), candidate: laneFigures(true) }
  const skipped: Record<Skipped, number> = { erased: 0, 'late-events': 0, 'agent-first': 0, 'no-bot-message': 0 }
  const found = new Map<string, Summary>()

  const take = ({ chatId, compared, ...rest }: Extract<Result, Persons>) => {
    const comparable = compared.filter(({ verdict }) => verdict !== 'not-comparable' && verdict !== 'not-compared')
    figures.observed.add(
      chatId,
      comparable.map(({ observed }) => ({ replies: observed, ms: 0 })),
    )
    figures.baseline.add(
      chatId,
      comparable.flatMap(({ baseline: old }) => old ?? []),
    )
    figures.candidate.add(
      chatId,
      comparable.flatMap(({ candidate: now }) => (now && { ...now, replies: now.failing ? [] : now.replies }) ?? []),
    )
    const grouped = compared.map((each) => {
      const change = changeOf(each, { isExact, hash })
      return { each, group: change && groups.add(chatId, each, change) }
    })
    write(
      chatId,
      grouped.map(({ each, group }) => {
        if (group === undefined) return each
        const about = `group ${group.id}${group.isAccepted ? ', accepted' : ''}`
        return { ...each, reason: each.reason === undefined ? about : `${each.reason}; ${about}` }
      }),
    )
    const ms = compared.reduce((sum, { candidate: now }) => sum + (now?.ms ?? 0), 0)
    found.set(chatId, {
      ...rest,
      verdicts: compared.map(({ verdict }) => verdict),
      testCase: { chatId, ms, result: resultOf(grouped, isNew) },
    })
  }
  const chats = turned(source.chats, asked.chats, turnsIn)
  for await (const result of inOrder(chats, chatsAtOnce, talk)) {
    if ('skipped' in result) skipped[result.skipped]++
    else take(result)
    onChat()
  }
  const erased = await erasures.among(new Map([...found].map(([chatId, { persons }]) => [chatId, persons])))
  const left = [...found].flatMap(([chatId, summary]) => (erased.has(chatId) ? [] : [summary]))
  const turns = Map.groupBy(
    left.flatMap((summary) => summary.verdicts),
    (verdict) => verdict,
  )
  const all = groups.all(erased)
  return {
    chats: {
      read: found.size + Object.values(skipped).reduce((sum, each) => sum + each, 0),
      compared: left.length,
      skipped: { ...skipped, erased: skipped.erased + erased.size },
    },
    turns: Object.fromEntries(verdicts.map((verdict) => [verdict, turns.get(verdict)?.length ?? 0])) as Report['turns'],
    noise: {
      differs: left.reduce((sum, { noise }) => sum + noise.differs, 0),
      of: left.reduce((sum, { noise }) => sum + noise.of, 0),
    },
    groups: all,
    new: all.filter(isNew).length,
    figures: {
      observed: figures.observed.all(erased),
      ...(baseline !== undefined && { baseline: figures.baseline.all(erased) }),
      candidate: figures.candidate.all(erased),
    },
    cases: left.map(({ testCase }) => testCase),
    erased,
  }
}
