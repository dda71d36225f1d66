import type { Job } from '../bench.ts'
import { ingest } from './ingest/ingest.ts'
import { messageToReply } from './message-to-reply.ts'

import { projection } from './projection/projection.ts'

/** In the order in which they run. */
export const jobs: ReadonlyArray<Job> = [ingest, projection, messageToReply]
