import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { Command, InvalidArgumentError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import type { Failure } from '../../domain/ports.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import type { SilentPersons } from '../../mongo/silent-persons.ts'
import { writePrivateFile } from '../../shared/private-file.ts'
import { table } from '../../shared/table.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import { notRecorded, type RecordAction } from '../audit.ts'
import { erase, finishInterrupted } from './erase.ts'
import { type PersonOptions, requestOf, whoIsMeant, withPersonOptions } from './person-options.ts'
import { isOfNobody, type Plan, planOf, type Request, unchecked } from './plan.ts'
import { releaseCommand } from './release.ts'
import { check, keepMalformed } from './status.ts'
import { unreadEnrichments, viewsReachEnd } from './views-now.ts'

type Servers = {
  readonly kafka: Pick<KafkaRoom, 'append' | 'publish' | 'readTopic' | 'ranges' | 'committedOffsets' | 'deadLetter'>
  readonly erasures: Erasures
  readonly silentPersons: SilentPersons
  readonly recordAction: RecordAction
  /** How long event topics are kept as plain text. */
  readonly retentionDays: number | 'forever'
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

/** Runs a command with both servers and closes their connections. */
type WithServers = (run: (servers: Servers) => Promise<number>) => Promise<void>

const clock = () => new Date()
const rowsOf = (counts: Readonly<Record<string, number>>) =>
  table(Object.entries(counts).map(([name, count]) => [`  ${name}`, String(count)]))

const planLines = ({ person, found }: Plan): ReadonlyArray<string> => [
  `Chats: ${person.chats.join(', ') || 'none'}. Clients: ${person.clients.join(', ') || 'none'}.`,
  'Documents:',
  ...rowsOf(found),
  ...person.likely.map(
    ({ via, leadsTo }) =>
      `Likely the same person, not included: ${leadsTo.map(({ kind, value }) => `${kind} ${value}`).join(', ')} (same ${via}; include with --also ${via}).`,
  ),
]

export const receiptLines = (receipt: ErasureDocument): ReadonlyArray<string> => [
  `Erasure ${receipt._id} of ${receipt.accountId}: ${receipt.state}, requested by ${receipt.requestedBy} at ${receipt.requestedAt.toISOString()}.`,
  ...(receipt.state === 'complete' ? [`Complete since ${receipt.completedAt?.toISOString()}.`] : []),
  ...(receipt.state === 'started' ? ['It was interrupted: run the same command again.'] : []),
  ...(receipt.confirmedBy === undefined
    ? []
    : [`Confirmed by: ${receipt.confirmedBy.join(', ') || 'no consumer group'}.`]),
  ...(receipt.stillFound && Object.keys(receipt.stillFound).length > 0
    ? ['May still be found in:', ...rowsOf(receipt.stillFound)]
    : []),
  receipt.state === 'complete'
    ? 'Files and copies are not checked. What they may still have, and until when:'
    : 'What remains, and until when:',
  ...table(
    (receipt.state === 'complete' ? unchecked(receipt.remains) : receipt.remains).map(({ where, until }) => [
      `  ${where}`,
      until,
    ]),
  ),
]

const agreed = async (): Promise<boolean> => {
  if (!process.stdin.isTTY) return false
  const questions = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await questions.question('Erase all of this for good? Type yes: ')
  questions.close()
  return answer.trim() === 'yes'
}

type EraseOptions = PersonOptions & {
  readonly dryRun?: true
  readonly yes?: true
  readonly by?: string
  readonly backupDays?: number
  readonly receipt?: string
}

const tell = ({ out }: Servers, receipt: ErasureDocument, file: string) => {
  writePrivateFile(file, `${JSON.stringify(receipt, null, 2)}\n`)
  for (const line of receiptLines(receipt)) out(line)
  out(`The receipt is in ${file} and in the collection erasures. \`erase status ${receipt._id}\` checks what is left.`)
}

const withinMs = 30_000
const notCurrent =
  'The views lack events that the topics have, so chats of this person may be missing. Start the role projector, wait until its lag is 0, and repeat.'

/** The plan by the views, and by the enrichments that no consumer has read yet. */
const planNow = async ({ kafka, erasures }: Servers, request: Request): Promise<Plan> => {
  const plan = await planOf(erasures, request)
  const unread = await unreadEnrichments(kafka, request.accountId, plan.person)
  const keys = [...new Set([...plan.enrichments, ...unread])]
  return { ...plan, enrichments: keys, found: { ...plan.found, ...(keys.length > 0 && { enrichments: keys.length }) } }
}

const run =
  (options: EraseOptions) =>
  async (servers: Servers): Promise<number> => {
    const { kafka, erasures, recordAction, retentionDays, out, err } = servers
    const request = requestOf(options)
    if (request === undefined) {
      err(whoIsMeant)
      return 1
    }
    const ports = { kafka, erasures, recordAction, clock }
    const { dryRun, yes, by = userInfo().username, backupDays } = options
    const fileOf = ({ _id }: ErasureDocument) => options.receipt ?? `erasure-${_id}.json`
    const notDone = (why: Failure) => {
      err(notRecorded(why))
      return 1
    }
    const requestedAt = clock()
    const kept = { retentionDays, ...(backupDays !== undefined && { backupDays }) }
    if (!(await viewsReachEnd(kafka, { withinMs, clock: monotonic, sleep }))) {
      err(dryRun ? notCurrent : `Nothing was erased. ${notCurrent}`)
      if (!dryRun) return 1
    }
    const resumed = dryRun ? E.right([]) : await finishInterrupted(ports, request, { kept, requestedAt })
    if (E.isLeft(resumed)) return notDone(resumed.left)
    for (const receipt of resumed.right) {
      out('An erasure that was interrupted is finished now.')
      tell(servers, receipt, fileOf(receipt))
    }
    if (resumed.right.length > 0) return 0
    const plan = await planNow(servers, request)
    if (isOfNobody(plan)) {
      out('The views have nothing of this person.')
      return 0
    }
    for (const line of planLines(plan)) out(line)
    if (dryRun) return 0
    if (!yes && !(await agreed())) {
      err('Nothing was erased. Answer yes, or use --yes.')
      return 1
    }
    const receipt = await erase(ports, request, plan, { requestedBy: by, kept, requestedAt })
    if (E.isLeft(receipt)) return notDone(receipt.left)
    tell(servers, receipt.right, fileOf(receipt.right))
    return 0
  }

const status =
  (id: string | undefined, { json }: { readonly json?: true }) =>
  async ({ kafka, erasures, out, err }: Servers): Promise<number> => {
    const receipts = await erasures.find(id === undefined ? {} : { _id: id })
    if (receipts.length === 0) {
      err(id === undefined ? 'There are no erasures.' : `There is no erasure ${id}.`)
      return 1
    }
    await keepMalformed(kafka)
    const checked: ErasureDocument[] = []
    for (const receipt of receipts) checked.push(await check({ kafka, erasures, clock }, receipt))
    for (const line of json ? [JSON.stringify(checked, null, 2)] : checked.flatMap(receiptLines)) out(line)
    return checked.every(({ state }) => state === 'complete') ? 0 : 1
  }

const days = (text: string): number => {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) throw new InvalidArgumentError('Expected a number of days.')
  return Number(text)
}

/** `erase` and `erase status`: removes all personal data of one person from the log, the views and the archive. */
export const eraseCommand = (withServers: WithServers): Command => {
  const command = withPersonOptions(new Command('erase'))
    .description(
      'Erase one person: find the chats and clients that are certainly the same person, show what is stored about them, ask for confirmation, and write ClientErased and ChatErased under their keys. It waits until the views have everything that the topics have, and refuses if they do not. Projector, archiver and consumers erase their data when they read these events. Enrichments of the person are removed. After an interruption, the same command plans again and finishes the erasure.',
    )
    .option('--dry-run', 'only show what is stored, and about whom')
    .option('--yes', 'do not ask for confirmation')
    .option('--by <name>', 'who requested it, for the receipt (default: the user of this process)')
    .option('--backup-days <days>', 'how long backups are kept, for the receipt', days)
    .option('--receipt <file>', 'where the receipt is written (default: erasure-<id>.json here)')
    .action((options: EraseOptions) => withServers(run(options)))
  command
    .command('status')
    .argument('[id]', 'the erasure, as its receipt names it (default: all of them)')
    .description(
      'Check views, enrichments and topics for what is left, and store the result in the receipt. Exit code 1 if something may be left.',
    )
    .option('--json', 'print the receipts as JSON')
    .action((id: string | undefined, options: { readonly json?: true }) => withServers(status(id, options)))
  command.addCommand(releaseCommand((job) => withServers((servers) => job({ ...servers, clock, agreed }))))
  // So `--account` after `release` is an option of `release`.
  return command.enablePositionalOptions()
}
