import type { FindEnrichment } from '../../ingress/webhooks/enrichment.ts'
import type { FindEnrichments } from '../../mongo/enrichments.ts'
import { batchedLookup } from '../../shared/batched-lookup.ts'
import type { KeyFilter } from './key-filter.ts'

/**
 * The look-up of a thread that serves HTTP: for most visitors nobody has published anything, which the filter tells without asking,
 * and where nobody has published anything at all, without the visitor's keys. It is asked again when the event is in the log: what
 * was in the view before may have been on its way to the filter. Others that come while a look-up is under way, or while it rests
 * after that, go to the main thread and to the database as one: a look-up for each request would cost more than all else that the
 * request needs.
 */
export const lookingUp = (
  findAll: FindEnrichments,
  { hasAny, mayHave }: Pick<KeyFilter, 'hasAny' | 'mayHave'>,
  rest: () => Promise<void>,
): FindEnrichment => {
  const find = batchedLookup(async (keys) => new Map(await findAll([...keys])), rest)
  return async (keysOf, published) => {
    const promising = () => (hasAny() ? keysOf().filter(mayHave) : [])
    let keys = promising()
    if (keys.length === 0) {
      await published
      keys = promising()
    }
    if (keys.length === 0) return undefined
    const byKey = await find(keys)
    return keys.map((key) => byKey.get(key)).find((enrichment) => enrichment !== undefined)
  }
}
