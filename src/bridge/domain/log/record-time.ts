import type { Instant } from '../../../../contracts/primitives.ts'
import type { IncomingRecord } from './record.ts'

const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** When a record was appended. A producer's clock may be wrong: a time outside of the calendar is moved to its edge. */
export const recordTime = ({ timestamp }: Pick<IncomingRecord, 'timestamp'>): Instant =>
  new Date(Number.isNaN(timestamp) ? 0 : Math.min(Math.max(timestamp, 0), latest)).toISOString() as Instant
