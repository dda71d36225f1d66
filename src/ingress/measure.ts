import type { Measure } from '../domain/ports.ts'

/** What of the measurements the HTTP side makes itself. */
export type MeasureRequests = Pick<Measure, 'request' | 'quarantined'>
