import * as E from 'fp-ts/lib/Either.js'
import type { Errors } from 'io-ts'
import { ErasureConfirmation } from '../../../../contracts/commands/erasure-confirmation.ts'
import { describe, problemsOf } from '../../../../contracts/problem.ts'
import { deadLetterHeaders } from '../../../../contracts/records.ts'
import {
  archiveNameOf,
  deadLetters,
  enrichments,
  erasureConfirmations,
  eventTopicNames,
  expiringTopics,
} from '../../../../contracts/topics.ts'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import { archiverGroup } from '../../domain/consumer-groups.ts'
import { accountIdIn } from '../../domain/identity.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import { keysOfEnrichment, nameOfErased } from '../../domain/person/erased.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { type PartOf, type ReadTopic, readOrThrow } from '../../kafka/read-topic.ts'
import type { Erasures, Marker } from '../../mongo/erasures.ts'
import { hasPersonalData, isNewerThan } from '../../views/index.ts'

type StatusPorts = {
  readonly kafka: Pick<KafkaPorts, 'readTopic' | 'ranges' | 'committedOffsets'>
  readonly erasures: Erasures
  readonly clock: () => Date
}

type Topic = Parameters<KafkaPorts['readTopic']>[0]

const records = async (
  { readTopic }: Pick<KafkaPorts, 'readTopic'>,
  topic: Topic,
  onRecord: (record: IncomingRecord) => void,
  options?: Parameters<ReadTopic>[2],
) => {
  const onSlice = async (slice: ReadonlyArray<IncomingRecord>) => slice.forEach(onRecord)
  await readOrThrow(readTopic, topic, onSlice, options)
}

const firstOnly: PartOf = (_, { low, high }) => ({ low, high: Math.min(low + 1, high) })

const readConfirmation = ({ value }: IncomingRecord): E.Either<string, ErasureConfirmation> => {
  const parsed = E.tryCatch(
    () => JSON.parse(String(value)) as unknown,
    () => 'value: expected JSON',
  )
  if (E.isLeft(parsed)) return parsed
  return E.mapLeft((errors: Errors) => describe(problemsOf(errors)))(ErasureConfirmation.decode(parsed.right))
}

/**
 * Keeps each confirmation that breaks its contract as a dead letter, once: a team would otherwise believe that it has
 * confirmed. A confirmation that is a dead letter already is found by its place.
 */
export const deadLetterMalformed = async (kafka: Pick<KafkaPorts, 'readTopic' | 'deadLetter'>): Promise<void> => {
  const malformed: Array<{ readonly record: IncomingRecord; readonly detail: string }> = []
  await records(kafka, erasureConfirmations.name, (record) => {
    const confirmation = readConfirmation(record)
    if (E.isLeft(confirmation)) malformed.push({ record, detail: confirmation.left })
  })
  if (malformed.length === 0) return
  const known = new Set<string>()
  await records(kafka, deadLetters.name, ({ headers }) => {
    const { topic, partition, offset } = deadLetterHeaders
    if (`${headers[topic]}` === erasureConfirmations.name) known.add(`${headers[partition]}/${headers[offset]}`)
  })
  for (const { record, detail } of malformed)
    if (!known.has(`${record.partition}/${record.offset}`))
      await kafka.deadLetter('erase-status')(record, 'contract', detail)
}

/** The consumer groups that have confirmed an erasure of the account, by the erasure's id. */
export const confirmations = async (
  kafka: Pick<KafkaPorts, 'readTopic'>,
  accountId: string,
  options?: Parameters<ReadTopic>[2],
): Promise<(erasureId: string) => ReadonlyArray<string>> => {
  const groups = new Map<string, Set<string>>()
  const onRecord = (record: IncomingRecord) => {
    const confirmation = readConfirmation(record)
    if (E.isLeft(confirmation) || confirmation.right.accountId !== accountId) return
    const { erasureId, group } = confirmation.right
    groups.set(erasureId, (groups.get(erasureId) ?? new Set()).add(group))
  }
  await records(kafka, erasureConfirmations.name, onRecord, options)
  return (erasureId) => [...(groups.get(erasureId) ?? [])].sort()
}

type Found = Map<string, number>
const note = (found: Found, where: string, count = 1) => {
  if (count > 0) found.set(where, (found.get(where) ?? 0) + count)
}

/** Finds documents with data of the person. After its markers a document has only what came after the request. */
const inViews = async (
  { erasures }: StatusPorts,
  { accountId }: ErasureDocument,
  markers: ReadonlyArray<Marker>,
  found: Found,
  since: Found,
) => {
  const ids = (type: string, field: 'chatId' | 'clientId') => [
    ...new Set(markers.flatMap((marker) => (marker.type === type ? [String(marker[field])] : []))),
  ]
  const person = { chats: ids('ChatErased', 'chatId'), clients: ids('ClientErased', 'clientId') }
  for await (const { view, document } of erasures.findDocuments(accountId, person))
    if (hasPersonalData(view, document)) note(isNewerThan(markers, view, document) ? since : found, `view ${view}`)
  // A rebuild that was killed after the erasure, before it had read the markers.
  await erasures.emptyCopies(accountId, person)
  for await (const { collection } of erasures.findCopies(accountId, person)) note(found, `collection ${collection}`)
}

/**
 * Finds the person's enrichments, also under keys that had none when the person was erased. What Kafka received after
 * the request is no part of the erasure.
 */
const inEnrichments = async (
  { kafka, erasures }: StatusPorts,
  { accountId, keys, requestedAt }: ErasureDocument,
  found: Found,
  since: Found,
) => {
  const hash = await erasures.hmac()
  const erased = new Set<string>(keys)
  const isErased = (key: string) =>
    accountIdIn(key) === accountId && keysOfEnrichment(key).some((each) => erased.has(hash(nameOfErased(each))))
  const those: string[] = []
  for await (const key of erasures.enrichedKeys(accountId)) if (isErased(key)) those.push(key)
  const stored = await erasures.enriched(those)
  const later = new Set<string>()
  await records(kafka, enrichments.name, ({ topic, partition, offset, key, value, timestamp }) => {
    if (value === null || !isErased(String(key))) return
    const isSince = timestamp >= requestedAt.getTime()
    if (isSince) later.add(`${topic}/${partition} ${offset}`)
    note(isSince ? since : found, `topic ${enrichments.name}`)
  })
  for (const { applied = {} } of stored) {
    const isSince = Object.entries(applied).some(([source, offset]) => later.has(`${source} ${offset}`))
    note(isSince ? since : found, 'view enrichments')
  }
}

type Place = Pick<Marker, 'partition' | 'offset'>

/**
 * The markers of an erasure in one topic that other records precede. A partition that begins with markers of this
 * erasure has no data of the person before them.
 */
export const markersAfterOthers = <M extends Place>(
  markers: ReadonlyArray<M>,
  lowOf: (partition: number) => number,
): ReadonlyArray<M> => {
  const own = new Set(markers.map(({ partition, offset }) => `${partition}/${offset}`))
  const firstOther = new Map<number, number>()
  for (const { partition } of markers) {
    let first = firstOther.get(partition) ?? lowOf(partition)
    while (own.has(`${partition}/${first}`)) first += 1
    firstOther.set(partition, first)
  }
  return markers.filter(({ partition, offset }) => (firstOther.get(partition) ?? 0) < offset)
}

/**
 * Counts markers that other records precede, and partitions of other topics with records older than the erasure.
 * The archive is readable until the archiver has processed the marker and destroyed the data key.
 */
const inTopics = async (
  { kafka }: StatusPorts,
  { requestedAt }: ErasureDocument,
  markers: ReadonlyArray<Marker>,
  found: Found,
) => {
  for (const name of eventTopicNames) {
    const those = markers.filter(({ topic }) => topic === name)
    if (those.length === 0) continue
    const [ranges, archived] = await Promise.all([kafka.ranges(name), kafka.committedOffsets(archiverGroup, name)])
    note(found, `topic ${name}`, markersAfterOthers(those, (partition) => ranges.get(partition)?.low ?? 0).length)
    const hasKey = ({ partition, offset }: Marker) => (archived.get(partition) ?? 0) <= offset
    note(found, `topic ${archiveNameOf(name)}`, those.filter(hasKey).length)
  }
  for (const { name } of expiringTopics)
    await records(
      kafka,
      name,
      ({ timestamp }) => {
        if (timestamp < requestedAt.getTime()) note(found, `topic ${name}`)
      },
      { part: firstOnly },
    )
}

/**
 * Searches the stores and saves the findings in the receipt. The receipt is complete once nothing is found, apart from
 * what is newer than the request. Of topics it counts the chats and clients that may still have data; it does not check whose records precede their markers.
 */
export const check = async (ports: StatusPorts, receipt: ErasureDocument): Promise<ErasureDocument> => {
  if (receipt.state === 'started') return receipt
  const markers = await ports.erasures.markers(receipt)
  const found: Found = new Map()
  const since: Found = new Map()
  note(found, 'markers', receipt.markers - markers.length)
  await inViews(ports, receipt, markers, found, since)
  await inEnrichments(ports, receipt, found, since)
  await inTopics(ports, receipt, markers, found)
  const at = ports.clock()
  const { publishedSince: _, ...before } = receipt
  const checked: ErasureDocument = {
    ...before,
    ...(found.size === 0 && receipt.state !== 'complete' && { state: 'complete', completedAt: at }),
    confirmedBy: [...(await confirmations(ports.kafka, receipt.accountId))(receipt._id)],
    stillFound: Object.fromEntries(found),
    ...(since.size > 0 && { publishedSince: Object.fromEntries(since) }),
    checkedAt: at,
  }
  await ports.erasures.save(checked)
  return checked
}
