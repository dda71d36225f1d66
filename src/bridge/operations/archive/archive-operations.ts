import * as E from 'fp-ts/lib/Either.js'
import { archiveNameOf, eventTopicNames } from '../../../../contracts/topics.ts'
import { dataKeys } from '../../archive/data-keys.ts'
import { countWrappedWith, rewrapAll, unopenedBy, type WrappingKeys, wrappingKidOf } from '../../archive/key-file.ts'
import type { LostRecords } from '../../archive/lost-keys.ts'
import { restorer } from '../../archive/restore.ts'
import type { ArchiveKeys } from '../../domain/archive-keys.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { optionsOf } from '../audit.ts'
import { type Done, operation, type Resources, type Run, type Stop, stop } from '../operation.ts'
import { anyText, days, oneOf, time } from '../options.ts'
import { findLost, withoutWrapped } from './lost-keys.ts'
import { refusalOf, replay } from './replay.ts'

/** `retired`: how many data keys this key wraps again. */
export type Rewrapped = {
  readonly rewrapped: number
  readonly with: string
  readonly retired?: { readonly kid: string; readonly left: number }
}

/** Wraps the data keys with another key. The data keys and the archive do not change. */
export const archiveRewrap = operation({
  name: 'archive rewrap',
  summary: 'wrap the data keys of the archive with the first key of ARCHIVE_KEY_FILE',
  description:
    'wrap every data key of the archive with the first key of ARCHIVE_KEY_FILE; the archive itself does not change',
  options: {
    retire: {
      about: 'also check that no data key is still wrapped with this key; exit code 1 if one is',
      value: 'kid',
      read: anyText,
    },
  },
  needs: { archiveKeys: true, wrapping: true },
  select: async (
    { wrapping }: { readonly archiveKeys: Pick<ArchiveKeys, 'all' | 'rewrap'>; readonly wrapping: WrappingKeys },
    { retire },
  ) =>
    retire === wrapping.kid
      ? stop('refused', `${retire} is the first key of the file and wraps new data keys. Put another key before it.`)
      : E.right({ retire }),
  action: ({ retire }) => ({ action: 'rewrap', command: 'archive rewrap', options: optionsOf({ retire }) }),
  act: async ({ archiveKeys: keys, wrapping }, { retire }) => {
    const result: Rewrapped = { rewrapped: await rewrapAll(keys, wrapping), with: wrapping.kid }
    if (retire === undefined) return E.right({ code: 0, result })
    const left = await countWrappedWith(keys, retire)
    return E.right({ code: left > 0 ? 1 : 0, result: { ...result, retired: { kid: retire, left } } })
  },
})

/**
 * What `archive keys` says. `again`: topics still have some of the records. `lost`: these data keys, of records that no
 * topic has any more.
 */
export type KeysEvent =
  | { readonly kind: 'again' }
  | { readonly kind: 'lost'; readonly lost: ReadonlyArray<LostRecords> }

/** `records`: whether records are lost with the keys. `other`: ARCHIVE_KEY_FILE lacks this key too. */
export type LostKeys =
  | { readonly kind: 'found'; readonly lostKey: string | undefined; readonly records: boolean }
  | { readonly kind: 'accepted'; readonly lostKey: string | undefined; readonly other: string | undefined }

/** Why nothing can be said of data keys: the file lacks the key that has wrapped some. */
export const lackingText = (kid: string) =>
  `ARCHIVE_KEY_FILE does not have the key ${kid} that has wrapped data keys. Restore the file from a copy. If no copy has this key: archive keys --lost-key ${kid}`

/** Reports the data keys that nobody can use any more although they were not erased. */
export const archiveKeys = operation({
  name: 'archive keys',
  summary: 'list the data keys of the archive that are lost, for example after a restore of an old backup',
  description:
    'list the data keys of the archive that MongoDB lacks, for example after a restore of an old backup, and whose records no topic has any more; exit code 1 if any, or if ARCHIVE_KEY_FILE does not open the others',
  options: {
    lostKey: {
      about: 'count as lost too what this key of ARCHIVE_KEY_FILE wrapped, because no copy of the file has it',
      value: 'kid',
      read: anyText,
    },
    acceptLoss: { about: 'continue permanently without the data that they encrypted; recorded on the topic audit' },
  },
  needs: { archiveKeys: true, kafka: true, wrapping: true },
  select: async (
    {
      archiveKeys: keys,
      kafka,
      wrapping,
    }: {
      readonly archiveKeys: Pick<ArchiveKeys, 'find' | 'acceptLoss' | 'examples' | 'giveUp'>
      readonly kafka: Pick<KafkaPorts, 'readTopic' | 'ranges' | 'topicIds'>
      readonly wrapping: WrappingKeys
    },
    { lostKey, acceptLoss = false },
    { interruption, say }: Run<KeysEvent, never>,
  ) => {
    const unopened = await unopenedBy(wrapping, await keys.examples())
    const givenUp = unopened.find((wrapped) => wrappingKidOf(wrapped) === lostKey)
    if (lostKey !== undefined && givenUp === undefined)
      return stop('refused', `${lostKey} is not lost: ARCHIVE_KEY_FILE has it, or it has wrapped no data key.`)
    const [other] = unopened.filter((wrapped) => wrapped !== givenUp).map(wrappingKidOf)
    // Several keys can only be given up one after the other.
    if (other !== undefined && lostKey === undefined) return stop('refused', lackingText(other))
    const found = await findLost(kafka, withoutWrapped(keys, lostKey), interruption())
    const lost = found.flatMap((each) => each.lost)
    if (found.some(({ again }) => again.size > 0)) say({ kind: 'again' })
    return lost.length === 0 && givenUp === undefined
      ? stop('nothing', 'No data key is lost that the archive needs.')
      : E.right({ lost, lostKey, givenUp, other, acceptLoss })
  },
  show: ({ lost }): ReadonlyArray<KeysEvent> => [{ kind: 'lost', lost }],
  action: ({ lost, lostKey, acceptLoss }) =>
    acceptLoss
      ? {
          action: 'erase',
          command: 'archive keys',
          options: optionsOf({ 'lost-key': lostKey, 'accept-loss': new Set(lost.map(({ id }) => id)).size }),
        }
      : undefined,
  act: async (
    { archiveKeys: keys },
    { lost, lostKey, givenUp, other, acceptLoss },
    _: Run<KeysEvent, never>,
  ): Promise<E.Either<Stop, Done<LostKeys>>> => {
    if (!acceptLoss) return E.right({ code: 1, result: { kind: 'found', lostKey, records: lost.length > 0 } })
    await keys.acceptLoss(
      [...Map.groupBy(lost, ({ id }) => id)].map(([id, own]) => ({ id, before: own.flatMap(({ before }) => before) })),
    )
    // Not before: until then the same command can be repeated.
    if (givenUp !== undefined) await keys.giveUp(givenUp)
    return E.right({ code: other === undefined ? 0 : 1, result: { kind: 'accepted', lostKey, other } })
  },
})

/** What `archive replay` says. `incomplete`: the replay fails, and the topic has only a part. */
export type ReplayEvent =
  | {
      readonly kind: 'created'
      readonly topic: string
      readonly partitions: number
      readonly retentionDays: number
    }
  | { readonly kind: 'incomplete'; readonly topic: string }

const eventTopic = oneOf(eventTopicNames)
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

/** Decrypts the archive of a topic into a new topic. */
export const archiveReplay = operation({
  name: 'archive replay',
  summary: 'decrypt the archived records of a topic into a new topic',
  description:
    'Decrypt the archive of a topic into a new topic, for a team that starts late or has fallen behind. The records have the same keys, partitions, headers and order. Personal data of erased persons is left out. Prints the offsets from which to continue on the topic itself. Recorded on the topic audit.',
  options: {
    topic: {
      about: 'the event topic, without the prefix',
      value: 'topic',
      read: eventTopic,
      isArgument: true,
      isRequired: true,
    },
    into: { about: 'the full name of the topic to create', value: 'topic', read: anyText, isRequired: true },
    from: {
      about: 'records that Kafka received then or later: 2026-01-31T23:59:59Z or 2026-01-31',
      value: 'time',
      read: time,
    },
    to: { about: 'records that Kafka received before then', value: 'time', read: time },
    retentionDays: {
      about: 'how long Kafka keeps the decrypted records: 1 to 14',
      value: 'days',
      read: days(14),
      default: 7,
    },
  },
  json: 'print the result as JSON',
  needs: { kafka: true, archiveKeys: true, wrapping: true, appendTo: true, topicPrefix: true },
  select: async (
    { topicPrefix }: Pick<Resources, 'kafka' | 'archiveKeys' | 'wrapping' | 'appendTo' | 'topicPrefix'>,
    options,
  ) => {
    const refused = refusalOf(options.into, topicPrefix)
    return refused === undefined ? E.right(options) : stop('refused', refused)
  },
  action: ({ topic, into, from, to }) => ({
    action: 'replay',
    command: `archive replay ${topic}`,
    options: optionsOf({ into, from: iso(from), to: iso(to) }),
  }),
  act: async (
    { kafka, archiveKeys: keys, wrapping, appendTo, topicPrefix },
    { topic, into, retentionDays, ...span },
    { say, interruption }: Run<ReplayEvent, never>,
  ) => {
    const { size } = await kafka.ranges(archiveNameOf(topic))
    if (!(await kafka.createTopic(into, topic, size, retentionDays)))
      return stop(
        'refused',
        `The topic ${into} exists already. Give a new name, so that it has only replayed records. If a replay into it was killed, it is not complete: delete it.`,
      )
    say({ kind: 'created', topic: into, partitions: size, retentionDays })
    const deps = { kafka, restore: restorer(dataKeys(keys, wrapping)), append: appendTo, signal: interruption() }
    const done = await replay(deps, topic, into, span).catch((error: unknown) => {
      say({ kind: 'incomplete', topic: into })
      throw error
    })
    const result = { topic: `${topicPrefix}${topic}`, into, partitions: size, retentionDays, ...done }
    return E.right({ code: done.corrupt > 0 ? 1 : 0, result })
  },
})
