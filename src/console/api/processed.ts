import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Id } from '../../../contracts/primitives.ts'
import { isReadBy } from '../../bridge/kafka/offsets.ts'
import { type Handlers, ok } from '../handler.ts'
import { readQuery } from '../query.ts'
import type { SystemDeps } from './system.ts'

const ProcessedQuery = t.partial({ consumer: Id, topic: Id }, 'ProcessedQuery')

export type ProcessedDeps = Pick<SystemDeps, 'groups' | 'ranges' | 'committedOffsets'>

/** A consumer writes a dead letter before it commits the record. So once it has committed, the result is known. */
export const processedHandlers = (
  deps: ProcessedDeps,
): Handlers<'GET /api/accounts/:account/dead-letters/processed'> => ({
  'GET /api/accounts/:account/dead-letters/processed': async ({ query, signal }) => {
    const asked = readQuery(ProcessedQuery, query)
    if (E.isLeft(asked)) return asked
    const { consumer, topic } = asked.right
    const name = deps.groups.find(({ group }) => group === consumer)?.topics.find((each) => each === topic)
    if (consumer === undefined || name === undefined) return ok({ isProcessed: false })
    const isProcessed = await isReadBy(deps)(consumer, name)(signal).catch(() => false)
    return ok({ isProcessed })
  },
})
