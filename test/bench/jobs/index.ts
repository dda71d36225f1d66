import type { Job } from '../bench.ts'
import { ingest } from './ingest/ingest.ts'

/** In the order in which they run. */
export const jobs: ReadonlyArray<Job> = [ingest]
