import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent, ErasureEvent } from '../../../contracts/events/index.ts'
import { keyOf } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../domain/log/record.ts'

/** Checked before a record is decoded a second time. It is true of few records. */
export const mayErase = ({ headers }: IncomingRecord): boolean => /Erased/.test(`${headers.ce_type ?? ''}`)

/** The event of a marker of an erasure, which has the key that it erases. Undefined for all other records. */
export const erasureIn = (
  { topic, key }: IncomingRecord,
  decoded: E.Either<unknown, DomainEvent>,
): ErasureEvent | undefined => {
  if (E.isLeft(decoded)) return undefined
  const { right: event } = decoded
  if (event.type !== 'ClientErased' && event.type !== 'ChatErased') return undefined
  const isHere = event.type === 'ClientErased' || event.data.topic === topic
  return isHere && `${key}` === keyOf(event) ? event : undefined
}
