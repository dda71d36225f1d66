import * as E from 'fp-ts/lib/Either.js'
import { deadLetters, quarantine } from '../../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import { type Asked, idText, ofAccount, optionsOf } from '../audit.ts'
import { type Stop, stop } from '../operation.ts'
import { accountOf, partOf, placeOf } from './dead-letters.ts'

type Which = {
  /** Its place: `partition/offset`. */
  readonly id: string
  readonly quarantine: boolean
}

/** A record of dead-letters or quarantine, if the account in its key fits. */
export const findRecord = async (
  readTopic: ReadTopic,
  { id, quarantine: isQuarantine }: Which,
  isOf: (account: string) => boolean = () => true,
  signal?: AbortSignal,
): Promise<E.Either<Stop, IncomingRecord>> => {
  const { name } = isQuarantine ? quarantine : deadLetters
  const places: IncomingRecord[] = []
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) =>
    void places.push(...records.filter((record) => placeOf(record) === id))
  const read = await readTopic(name, onSlice, { part: partOf([id]), ...(signal && { signal }) })
  if (E.isLeft(read)) return stop('unavailable', `Kafka: ${read.left.reason}`)
  if (signal?.aborted) return stop('unavailable', 'Kafka: it was not read in time')
  const [record] = places
  return record === undefined || !isOf(accountOf(record))
    ? stop('absent', `${name} has no record at ${id}, or has deleted it.`)
    : E.right(record)
}

/**
 * How a look at a record is recorded on `audit`. Only these accounts may be named there: other keys of records may
 * contain anything.
 */
export const unmaskAction = (
  record: IncomingRecord,
  { id, quarantine }: Which,
  accounts: ReadonlyArray<{ readonly id: string }>,
  chat?: string,
): Asked => ({
  action: 'unmask',
  command: 'redrive show',
  options: optionsOf({ id, quarantine, chat: chat && idText({ kind: 'chat', value: chat }) }),
  ...ofAccount(accounts.find((each) => each.id === accountOf(record))?.id),
})
