import { enrichments } from '../../../../contracts/topics.ts'
import type { FindErasedEnrichments } from '../../domain/person/erased.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Mongo } from '../../mongo/connect.ts'
import type { EnrichmentDocument } from '../../views/enrichments.ts'

type Deps = Pick<Mongo, 'storedEnrichments' | 'emptyEnrichment'> & {
  readonly findErased: FindErasedEnrichments
  readonly fetchRecord: KafkaPorts['fetchRecord']
}

const atOnce = 300
const place = new RegExp(`^${enrichments.name}/(\\d+)$`)

/**
 * Removes the enrichments that came back with an older copy of MongoDB although their person was erased: Kafka no longer
 * has their removal, which it keeps for a day. What Kafka still has, and received after the erasure, stays.
 */
export const emptyRestored =
  ({ storedEnrichments, emptyEnrichment, findErased, fetchRecord }: Deps) =>
  async (): Promise<void> => {
    const receivedAt = async ({ _id, applied }: EnrichmentDocument) => {
      for (const [source, offset] of Object.entries(applied)) {
        const partition = place.exec(source)?.[1]
        const record = partition && (await fetchRecord(enrichments.name, Number(partition), offset))
        if (record && `${record.key}` === _id) return record.timestamp
      }
      return Number.NEGATIVE_INFINITY
    }
    const empty = async (some: ReadonlyArray<EnrichmentDocument>) => {
      const all = some.map((stored) => ({ key: stored._id, timestamp: Number.NEGATIVE_INFINITY, stored }))
      const dated: Array<(typeof all)[number]> = []
      for (const each of await findErased(all)) dated.push({ ...each, timestamp: await receivedAt(each.stored) })
      for (const { stored } of await findErased(dated)) await emptyEnrichment(stored)
    }
    let some: EnrichmentDocument[] = []
    for await (const stored of storedEnrichments()) {
      some.push(stored)
      if (some.length < atOnce) continue
      await empty(some)
      some = []
    }
    await empty(some)
  }
