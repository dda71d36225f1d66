import type { Job } from '../bench.ts'
import { archiver } from './archiver.ts'
import { consoleJob } from './console/console.ts'
import { egress } from './egress.ts'
import { growth } from './growth/growth.ts'
import { ingest } from './ingest/ingest.ts'
import { messageToReply } from './message-to-reply.ts'
import { npmStart } from './npm-start.ts'
import { projection } from './projection/projection.ts'
import { rebuild } from './rebuild.ts'
import { start } from './start/start.ts'
import { tracing } from './tracing.ts'
import { whatIf } from './what-if.ts'
import { wholeWay } from './whole-way.ts'

/** In the order in which they run. */
export const jobs: ReadonlyArray<Job> = [
  ingest,
  npmStart,
  wholeWay,
  tracing,
  messageToReply,
  egress,
  projection,
  archiver,
  growth,
  rebuild,
  consoleJob,
  whatIf,
  start,
]
