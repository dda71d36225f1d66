import type { ErasureEvent } from '../../../../contracts/events/index.ts'
import { enrichments } from '../../../../contracts/topics.ts'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import { type FindErasedEnrichments, nameOfErased } from '../../domain/person/erased.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import type { SilentPersons } from '../../mongo/silent-persons.ts'
import type { EnrichmentDocument } from '../../views/enrichments.ts'
import { keysOf } from '../erase/plan.ts'
import { type Retention, remainsOf } from '../remains.ts'

const atOnce = 300
const place = new RegExp(`^${enrichments.name}/(\\d+)$`)

/**
 * Removes the enrichments that came back with an older copy of MongoDB although their person was erased: Kafka no longer
 * has their removal, which it keeps for a day. What Kafka still has, and received after the erasure, stays.
 */
export const emptyRestored =
  ({
    storedEnrichments,
    emptyEnrichment,
    findErased,
    fetchRecord,
  }: {
    readonly storedEnrichments: () => AsyncIterable<EnrichmentDocument>
    /** Removes the value of an enrichment, unless it has changed. */
    readonly emptyEnrichment: (stored: EnrichmentDocument) => Promise<void>
    readonly findErased: FindErasedEnrichments
    readonly fetchRecord: KafkaPorts['fetchRecord']
  }) =>
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

/** Who has asked for an erasure whose receipt was lost: markers do not say it. */
const restoredBy = 'unknown: restored from the markers of the erasure'

const idOf = ({ data }: ErasureEvent): string => data.erasureId

const subjectsOf = <T extends ErasureEvent['type']>(markers: ReadonlyArray<ErasureEvent>, type: T) => [
  ...new Set(markers.flatMap((marker) => (marker.type === type ? [marker.subject] : []))),
]

/**
 * The receipts of erasures by their markers alone, for a database that was restored from an older copy. They recognise
 * events of these chats and clients that arrive late. Enrichments and addresses are in no marker.
 */
const receiptsOf = (
  markers: ReadonlyArray<ErasureEvent>,
  hash: (text: string) => string,
  retention: Retention,
): ReadonlyArray<ErasureDocument> =>
  [...Map.groupBy(markers, idOf)].flatMap(([_id, own]) => {
    const [first] = own
    if (first === undefined) return []
    const { accountId } = first.data
    const requestedAt = new Date(first.time)
    const plan = { chats: subjectsOf(own, 'ChatErased'), clients: subjectsOf(own, 'ClientErased'), enrichments: [] }
    return [
      {
        _id,
        accountId,
        state: 'published' as const,
        requestedBy: restoredBy,
        requestedAt,
        request: hash(`restored ${_id}`),
        keys: keysOf(accountId, plan, { followed: [], identities: [], ofOthers: [] }).map((key) =>
          hash(nameOfErased(key)),
        ),
        markers: new Set(own.map(({ id }) => id)).size,
        found: {},
        remains: [...remainsOf(requestedAt, retention)],
      },
    ]
  })

/** Stores the receipts that this database lacks. */
export const storeReceipts =
  (erasures: Pick<Erasures, 'find' | 'hmac'>, { claim }: Pick<SilentPersons, 'claim'>, retention: Retention) =>
  async (markers: ReadonlyArray<ErasureEvent>): Promise<void> => {
    if (markers.length === 0) return
    const known = new Set((await erasures.find({})).map(({ _id }) => _id as string))
    const lacking = markers.filter((marker) => !known.has(idOf(marker)))
    for (const receipt of receiptsOf(lacking, await erasures.hmac(), retention)) await claim(receipt)
  }
