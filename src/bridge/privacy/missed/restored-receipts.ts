import type { ErasureEvent } from '../../../../contracts/events/index.ts'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import { nameOfErased } from '../../domain/person/erased.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import type { SilentPersons } from '../../mongo/silent-persons.ts'
import { type Kept, keysOf, remainsOf } from '../erase/plan.ts'

/** Who has asked for an erasure whose receipt was lost: markers do not say it. */
const restoredBy = 'unknown: restored from the markers of the erasure'

const idOf = ({ data }: ErasureEvent): string => data.erasureId

const chosen = <T extends ErasureEvent['type']>(markers: ReadonlyArray<ErasureEvent>, type: T) => [
  ...new Set(markers.flatMap((marker) => (marker.type === type ? [marker.subject] : []))),
]

/**
 * The receipts of erasures by their markers alone, for a database that was restored from an older copy. They recognise
 * events of these chats and clients that arrive late. Enrichments and addresses are in no marker.
 */
const receiptsOf = (
  markers: ReadonlyArray<ErasureEvent>,
  hash: (text: string) => string,
  kept: Kept,
): ReadonlyArray<ErasureDocument> =>
  [...Map.groupBy(markers, idOf)].flatMap(([_id, own]) => {
    const [first] = own
    if (first === undefined) return []
    const { accountId } = first.data
    const requestedAt = new Date(first.time)
    const plan = { chats: chosen(own, 'ChatErased'), clients: chosen(own, 'ClientErased'), enrichments: [] }
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
        remains: [...remainsOf(requestedAt, kept)],
      },
    ]
  })

/** Stores the receipts that this database lacks. */
export const keepReceipts =
  (erasures: Pick<Erasures, 'find' | 'hmac'>, { claim }: Pick<SilentPersons, 'claim'>, kept: Kept) =>
  async (markers: ReadonlyArray<ErasureEvent>): Promise<void> => {
    if (markers.length === 0) return
    const known = new Set((await erasures.find({})).map(({ _id }) => _id as string))
    const lacking = markers.filter((marker) => !known.has(idOf(marker)))
    for (const receipt of receiptsOf(lacking, await erasures.hmac(), kept)) await claim(receipt)
  }
