import { Command, InvalidArgumentError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { archiveNameOf, type EventTopic, eventTopics } from '../../../contracts/topics.ts'
import { dataKeys } from '../../archive/data-keys.ts'
import type { WrappingKeys } from '../../archive/key-file.ts'
import { restorer } from '../../archive/restore.ts'
import type { Append, ArchiveKeys } from '../../domain/ports.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import { commandText, notRecorded, type RecordAction } from '../audit.ts'
import { time } from '../options.ts'
import { lostKeys } from './lost-keys.ts'
import { type Replayed, refusalOf, replay } from './replay.ts'
import { rewrap } from './rewrap.ts'

type Name = EventTopic['name']

/** What the commands on the archive need. */
export type Archive = {
  readonly keys: ArchiveKeys
  readonly wrapping: WrappingKeys
  /** The text of an error that may be shown. */
  readonly reasonOf: (error: unknown) => string
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  readonly kafka: KafkaRoom
  /** Appends to a topic by its full name. */
  readonly append: Append
  readonly recordAction: RecordAction
  readonly prefix: string
  /** Aborts on SIGINT or SIGTERM, from this call on. */
  readonly interruption: () => AbortSignal
}

/** Runs a command with its servers. The number is the exit code of the process. */
type WithArchive = (run: (archive: Archive) => Promise<number>) => Promise<void>

type Options = {
  readonly into: string
  readonly from?: number
  readonly to?: number
  readonly retentionDays: number
  readonly json?: true
}

const timeOption = (text: string): number => {
  const found = time(text)
  if (E.isLeft(found)) throw new InvalidArgumentError(`Expected ${found.left}.`)
  return found.right
}

const days = (text: string): number => {
  if (!/^([1-9]|1[0-4])$/.test(text)) throw new InvalidArgumentError('Expected a number of days from 1 to 14.')
  return Number(text)
}
const topicOption = (text: string): Name => {
  const names = eventTopics.map(({ name }) => name)
  const found = names.find((name) => name === text)
  if (found === undefined) throw new InvalidArgumentError(`Expected one of ${names.join(', ')}.`)
  return found
}

const linesOf = (topic: string, into: string, { records, leftOut, corrupt, continueAt }: Replayed) => [
  `${records} records of ${topic} are in ${into} now.`,
  ...(leftOut > 0 ? [`${leftOut} were left out: they are erased, or no events of the bridge.`] : []),
  ...(corrupt > 0 ? [`${corrupt} records of the archive are corrupt: they are dead letters now.`] : []),
  `Continue reading ${topic} at (partition: offset): ${Object.entries(continueAt)
    .map(([partition, offset]) => `${partition}: ${offset}`)
    .join(', ')}`,
]

const replayInto =
  (topic: Name, { into, retentionDays, json, ...span }: Options) =>
  async ({ kafka, append, keys, wrapping, recordAction, prefix, interruption, ...rest }: Archive) => {
    const { reasonOf, out, err } = rest
    const refused = refusalOf(into, prefix)
    if (refused !== undefined) {
      err(refused)
      return 1
    }
    const { from, to } = span
    const iso = (ms?: number) => (ms === undefined ? undefined : new Date(ms).toISOString())
    const detail = commandText(`archive replay ${topic}`, { into, from: iso(from), to: iso(to) })
    const recorded = await recordAction({ action: 'replay', detail })
    if (E.isLeft(recorded)) {
      err(notRecorded(recorded.left))
      return 1
    }
    let created = false
    try {
      const { size } = await kafka.ranges(archiveNameOf(topic))
      created = await kafka.createTopic(into, topic, size, retentionDays)
      if (!created) {
        err(`The topic ${into} exists already. Give a new name, so that it has only replayed records.`)
        return 1
      }
      const about = `${into} was created with ${size} partitions; Kafka deletes its records after ${retentionDays} days.`
      if (!json) out(about)
      const restore = restorer(dataKeys(keys, wrapping))
      const done = await replay({ kafka, restore, append, signal: interruption() }, topic, into, span)
      const all = { topic: `${prefix}${topic}`, into, partitions: size, retentionDays, ...done }
      for (const line of json ? [JSON.stringify(all, null, 2)] : linesOf(all.topic, into, done)) out(line)
      return done.corrupt > 0 ? 1 : 0
    } catch (error) {
      err(`The command failed: ${reasonOf(error)}`)
      if (created) err(`${into} is not complete. Delete it and repeat the command.`)
      return 1
    }
  }

const keysCommand =
  (accept: boolean) =>
  async ({ kafka, keys, recordAction, interruption, reasonOf, out, err }: Archive) => {
    try {
      return await lostKeys({ kafka, keys, recordAction, say: out, signal: interruption() }, accept)
    } catch (error) {
      err(`The command failed: ${reasonOf(error)}`)
      return 1
    }
  }

/**
 * `archive rewrap` changes the key that wraps the archive's data keys. `archive keys` lists lost data keys. `archive
 * replay` decrypts the archive into a topic.
 */
export const archiveCommand = (withArchive: WithArchive): Command => {
  const command = new Command('archive').description('maintain the encrypted archive of the event topics')
  command
    .command('rewrap')
    .description(
      'wrap every data key of the archive with the first key of ARCHIVE_KEY_FILE; the archive itself does not change',
    )
    .option('--retire <kid>', 'also check that no data key is still wrapped with this key; exit code 1 if one is')
    .action(({ retire }: { readonly retire?: string }) =>
      withArchive(({ keys, wrapping, recordAction, out }) =>
        rewrap({ keys, wrapping, recordAction, say: out }, retire),
      ),
    )
  command
    .command('keys')
    .description(
      'list the data keys of the archive that MongoDB lacks, for example after a restore of an old backup; exit code 1 if any',
    )
    .option('--accept-loss', 'continue permanently without the data that they encrypted; recorded on the topic audit')
    .action(({ acceptLoss = false }: { readonly acceptLoss?: boolean }) => withArchive(keysCommand(acceptLoss)))
  command
    .command('replay')
    .argument('<topic>', 'the event topic, without the prefix', topicOption)
    .description(
      'Decrypt the archive of a topic into a new topic, for a team that starts late or has fallen behind. The records have the same keys, partitions, headers and order. Personal data of erased persons is left out. Prints the offsets from which to continue on the topic itself. Recorded on the topic audit.',
    )
    .requiredOption('--into <topic>', 'the full name of the topic to create')
    .option(
      '--from <time>',
      'records that Kafka received then or later: 2026-01-31T23:59:59Z or 2026-01-31',
      timeOption,
    )
    .option('--to <time>', 'records that Kafka received before then', timeOption)
    .option('--retention-days <days>', 'how long Kafka keeps the decrypted records: 1 to 14', days, 7)
    .option('--json', 'print the result as JSON')
    .action((topic: Name, options: Options) => withArchive(replayInto(topic, options)))
  return command
}
