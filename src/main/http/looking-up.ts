import type { FindEnrichments } from '../../mongo/enrichments.ts'
import { together } from '../../mongo/together.ts'
import type { FindEnrichment } from '../../ports.ts'

/**
 * The look-up of a thread that serves HTTP: those that come while one is under way, or while it rests after that, go to the main
 * thread and to the database as one. A look-up for each request would cost more than all else that the request needs.
 */
export const lookingUp = (findAll: FindEnrichments, rest: () => Promise<void>): FindEnrichment => {
  const find = together(async (keys) => new Map(await findAll([...keys])), rest)
  return async (keys) => {
    const byKey = await find(keys)
    return keys.map((key) => byKey.get(key)).find((enrichment) => enrichment !== undefined)
  }
}
