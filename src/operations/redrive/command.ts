import { Command, InvalidArgumentError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { Day } from '../../../contracts/primitives.ts'
import { OffsetTime } from '../../../contracts/wire.ts'
import type { Account } from '../../domain/accounts.ts'
import { now } from '../../domain/clock.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import { notRecorded, type RecordAction } from '../audit.ts'
import { pace, type Tally } from './batches.ts'
import { type Filters, type OriginTopic, originTopics } from './dead-letters.ts'
import { findDeadLetters, findRequests } from './find.ts'
import { listDeadLetters, listRequests } from './list.ts'
import { sendDeadLetters } from './send.ts'
import { recordLines, showRecord } from './show.ts'
import { type QuarantineFilters, takeIn } from './take-in.ts'

type Servers = {
  readonly kafka: Pick<KafkaRoom, 'readTopic' | 'redrive' | 'publish'>
  readonly redrives: Redrives
  readonly recordAction: RecordAction
  readonly accounts: ReadonlyArray<Account>
  /** Aborts when the command has to end early. */
  readonly interrupted: AbortSignal
  /** `out` prints the result. `err` prints why there is none. */
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

/** Runs a command with both servers. The number is the exit code of the process. */
type WithServers = (run: (servers: Servers) => Promise<number>) => Promise<void>

const refuse = (expected: string) => {
  throw new InvalidArgumentError(`Expected ${expected}.`)
}

/** Milliseconds since 1970. A day such as `2026-01-31` means its midnight in UTC. */
export const timeOption = (text: string): number => {
  const time = E.alt<unknown, string>(() => Day.decode(text))(OffsetTime.decode(text))
  return E.isRight(time) ? Date.parse(time.right) : refuse('a time as 2026-01-31T23:59:59Z, or a day as 2026-01-31')
}

const countOption = (text: string): number =>
  /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : refuse('a whole number, 1 or more')

const placeOption = (text: string): string =>
  /^(0|[1-9][0-9]{0,8})\/(0|[1-9][0-9]{0,15})$/.test(text) ? text : refuse('an ID as list prints it: partition/offset')

const placesOption = (text: string, before: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...before,
  placeOption(text),
]

const topicOption = (text: string): OriginTopic =>
  originTopics.find((name) => name === text) ?? refuse(`one of ${originTopics.join(', ')}`)

const fail = (err: Servers['err'], reason: string): number => {
  err(reason)
  return 1
}

const filtered = (command: Command) =>
  command
    .option('--account <id>', 'only those of this account')
    .option('--topic <name>', 'only those of this topic; the name is without the prefix', topicOption)
    .option('--cause <word>', 'only those with this cause')
    .option('--consumer <name>', 'only those that this consumer could not process')
    .option('--since <time>', 'only those that failed then or later: 2026-01-31T23:59:59Z or 2026-01-31', timeOption)
    .option('--until <time>', 'only those that failed before then', timeOption)
    .option('--id <id>', 'only this one, by partition/offset on dead-letters; may be repeated', placesOption)

type ListOptions = Filters & { readonly limit: number; readonly quarantine?: true; readonly json?: true }

const list =
  ({ limit, quarantine: other, json, ...filters }: ListOptions) =>
  async ({ kafka: { readTopic }, redrives, interrupted, out, err }: Servers): Promise<number> => {
    const [ports, extent] = [
      { readTopic, findRedrives: redrives.find },
      { limit, signal: interrupted },
    ]
    const found = other
      ? E.map(listRequests)(await findRequests(ports, {}, extent))
      : E.map(listDeadLetters)(await findDeadLetters(ports, filters, extent))
    if (E.isLeft(found)) return fail(err, `Kafka: ${found.left.reason}`)
    const { lines, ...all } = found.right
    for (const line of json ? [JSON.stringify(all, null, 2)] : lines) out(line)
    return 0
  }

const show =
  (id: string, { quarantine: other }: { readonly quarantine?: true }) =>
  async ({ kafka: { readTopic }, recordAction, accounts, out, err }: Servers): Promise<number> => {
    const shown = await showRecord({ readTopic, recordAction, accounts }, { id, quarantine: other === true })
    if (E.isLeft(shown)) return fail(err, shown.left.reason)
    for (const line of recordLines(shown.right)) out(line)
    return 0
  }

/** Prints the result, or why nothing was done. Returns the exit code. */
const finish = (
  { out, err }: Pick<Servers, 'out' | 'err'>,
  ended: Awaited<ReturnType<typeof sendDeadLetters>>,
  isWrong: (tally: Tally) => boolean,
): number => {
  if (E.isLeft(ended)) return fail(err, notRecorded(ended.left))
  const { tally, words, trouble } = ended.right
  for (const line of words) out(line)
  return trouble === undefined ? Number(isWrong(tally)) : fail(err, trouble)
}

type SendOptions = Filters & {
  readonly dryRun?: true
  readonly limit: number
  readonly perSecond: number
  readonly most: number
  readonly force?: true
  readonly again?: true
  readonly overwrite?: true
}

const send =
  ({ dryRun, limit, perSecond, most, force, again, overwrite, ...filters }: SendOptions) =>
  async ({ kafka: { readTopic, redrive }, redrives, recordAction, interrupted, ...say }: Servers): Promise<number> => {
    const ended = await sendDeadLetters(
      { readTopic, redrive, redrives, recordAction, now, out: say.out, pace: pace(perSecond, monotonic, sleep) },
      {
        filters,
        limit,
        dryRun: dryRun === true,
        rules: { most, force: force === true, again: again === true, overwrite: overwrite === true },
      },
      interrupted,
    )
    const code = finish(say, ended, ({ kept, failed }) => kept + failed > 0)
    if (E.isRight(ended) && ended.right.tally.kept > 0)
      say.out(
        `Records that were redriven ${most} times already need --force. Records older than the state in their view need --overwrite.`,
      )
    return code
  }

type TakeInOptions = QuarantineFilters & {
  readonly dryRun?: true
  readonly limit: number
  readonly perSecond: number
}

const quarantined =
  ({ dryRun, limit, perSecond, ...filters }: TakeInOptions) =>
  async ({ kafka, redrives, recordAction, accounts, interrupted, ...say }: Servers): Promise<number> => {
    const { readTopic, publish } = kafka
    const ended = await takeIn(
      {
        readTopic,
        publish,
        redrives,
        recordAction,
        accounts,
        now,
        out: say.out,
        pace: pace(perSecond, monotonic, sleep),
      },
      { filters, limit, dryRun: dryRun === true },
      interrupted,
    )
    return finish(say, ended, ({ failed }) => failed > 0)
  }

/** `redrive list|show|send|quarantine`: looks at records that could not be processed, and sends them back. */
export const redriveCommand = (withServers: WithServers): Command => {
  const redrive = new Command('redrive').description('look at dead letters, and send them back to their topics')

  filtered(redrive.command('list'))
    .summary('print a table of the dead letters, or of quarantine')
    .description(
      'Print a table of the dead letters: the original place, the consumer, the cause, the time, and whether it was redriven',
    )
    .option('--limit <number>', 'the maximum number of records; prints the newest', countOption, 1000)
    .option('--quarantine', 'list the requests in quarantine instead; the filters do not apply')
    .option('--json', 'print them as JSON')
    .action((options: ListOptions) => withServers(list(options)))

  redrive
    .command('show')
    .argument('<id>', 'partition/offset, as list prints it', placeOption)
    .summary('print one dead letter with its personal data')
    .description(
      'Print one dead letter with its headers, key and value: as text if the bytes are UTF-8, otherwise in hexadecimal digits. This prints everything in the record, including personal data, to your terminal.',
    )
    .option('--quarantine', 'print a request in quarantine instead')
    .action((id: string, options: { readonly quarantine?: true }) => withServers(show(id, options)))

  filtered(redrive.command('send'))
    .summary('send dead letters back to their topics')
    .description(
      'Send dead letters back to their topics, with the original key, value and headers. Those of one key keep their order. MongoDB remembers what was sent, so it is not sent again. If a consumer fails on a record again, it makes a new dead letter. Exit code 1 if a matching record was refused or could not be sent.',
    )
    .option('--dry-run', 'print what would be sent, and send nothing')
    .option('--limit <number>', 'the maximum number of records', countOption, 1000)
    .option('--per-second <number>', 'the maximum number of records per second', countOption, 100)
    .option('--most <number>', 'refuse records that were redriven this often already', countOption, 3)
    .option('--force', 'also send records that were redriven that often; together with --again only with --id')
    .option('--again', 'also send what was sent before')
    .option('--overwrite', 'also send a client or an enrichment that is older than the state in the view')
    .action((options: SendOptions) => withServers(send(options)))

  redrive
    .command('quarantine')
    .summary('process the requests in quarantine that this version understands')
    .description(
      'Publish the events of the requests in quarantine that this version understands, in their order. Each event is marked as late: its header ce_receivedtime is the time when the request arrived. A late event never replaces newer state in a view, and the bot kits do not answer it. MongoDB remembers which requests were processed, so they are not processed again. All other requests stay in quarantine.',
    )
    .option('--account <id>', 'only those of this account')
    .option('--reason <word>', 'only those with this reason, as list --quarantine prints it')
    .option('--since <time>', 'only those that arrived then or later: 2026-01-31T23:59:59Z or 2026-01-31', timeOption)
    .option('--until <time>', 'only those that arrived before then', timeOption)
    .option('--id <id>', 'only this one, by partition/offset on quarantine; may be repeated', placesOption)
    .option('--dry-run', 'print what would be processed, and publish nothing')
    .option('--limit <number>', 'the maximum number of records', countOption, 1000)
    .option('--per-second <number>', 'the maximum number of records per second', countOption, 100)
    .action((options: TakeInOptions) => withServers(quarantined(options)))

  return redrive
}
