import { Instant } from '../../contracts/primitives.ts'
import type { IncomingRecord } from '../domain/ports.ts'

const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** When a record was appended; its producer's clock may say anything, and what is no time at all becomes `now`. */
export const recordTime = ({ timestamp }: Pick<IncomingRecord, 'timestamp'>, now: Instant): Instant => {
  const text = timestamp >= 0 && timestamp <= latest ? new Date(timestamp).toISOString() : now
  return Instant.is(text) ? text : now
}
