import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import type { Identity } from '../../../src/domain/person-ids.ts'
import type { Erasures } from '../../../src/mongo/erasures.ts'

const byRequest = (a: ErasureDocument, b: ErasureDocument) => a.requestedAt.getTime() - b.requestedAt.getTime()

/** The receipt of an erasure that was requested on this day of January. */
export const receipt = (id: string, day: number, more: Partial<ErasureDocument> = {}): ErasureDocument => ({
  _id: id,
  accountId: 'acme' as ErasureDocument['accountId'],
  state: 'started',
  requestedBy: 'retainDays',
  requestedAt: new Date(Date.UTC(2026, 0, day)),
  request: `request of ${id}`,
  keys: [],
  markers: 0,
  found: {},
  remains: [],
  ...more,
})

/**
 * MongoDB in memory for erasures: the ids that each document links, and the receipts. Unless a test says more, there
 * are no documents, enrichments, copies or markers.
 */
export const givenErasures = (links: ReadonlyArray<ReadonlyArray<Identity>>, more: Partial<Erasures> = {}) => {
  const receipts = new Map<string, ErasureDocument>()
  const erasures: Erasures = {
    findLinks: () => async (identities) =>
      links.filter((link) =>
        link.some((it) => identities.some(({ kind, value }) => kind === it.kind && value === it.value)),
      ),
    findCopies: async function* () {},
    emptyCopies: async () => {},
    findDocuments: async function* () {},
    enriched: async () => [],
    enrichedKeys: async function* () {},
    hmac: async () => (text) => `hmac of ${text.length}`,
    find: async (filter) =>
      [...receipts.values()]
        .filter((receipt) => Object.entries(filter).every(([name, value]) => receipt[name as 'state'] === value))
        .sort(byRequest),
    save: async (receipt) => void receipts.set(receipt._id, receipt),
    markers: async () => [],
    knownUntil: async () => undefined,
    keepKnownUntil: async () => {},
    newestErasure: async () => [...receipts.values()].sort(byRequest).at(-1)?.requestedAt,
    serverTime: async () => Date.now(),
    erasedAt: async () => new Map(),
    ...more,
  }
  return { erasures, receipts }
}
