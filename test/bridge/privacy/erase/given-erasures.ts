import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import type { Identity } from '../../../../src/bridge/domain/person/ids.ts'
import type { FindLinks } from '../../../../src/bridge/domain/person/person.ts'
import { fewestDigits, phoneDigits } from '../../../../src/bridge/domain/person/phone.ts'
import type { Erasures } from '../../../../src/bridge/mongo/erasures.ts'

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

/** Finds documents as MongoDB does: addresses in any case, phone numbers by their last digits if that is asked for. */
export const linksIn =
  (links: ReadonlyArray<ReadonlyArray<Identity>>): FindLinks =>
  async (identities, phones) => {
    const plain = ({ kind, value }: Identity) => {
      if (kind === 'email') return value.toLowerCase()
      return kind === 'phone' && phones === 'ending alike' ? phoneDigits(value).slice(-fewestDigits) : value
    }
    const isSame = (one: Identity, other: Identity) => one.kind === other.kind && plain(one) === plain(other)
    return links.filter((link) => link.some((it) => identities.some((other) => isSame(it, other))))
  }

/**
 * MongoDB in memory for erasures: the ids that each document links, and the receipts. Unless a test says more, there
 * are no documents, enrichments, copies or markers.
 */
export const givenErasures = (links: ReadonlyArray<ReadonlyArray<Identity>>, more: Partial<Erasures> = {}) => {
  const receipts = new Map<string, ErasureDocument>()
  const erasures: Erasures = {
    findLinks: () => linksIn(links),
    findCopies: async function* () {},
    emptyCopies: async () => {},
    findDocuments: async function* () {},
    enriched: async () => [],
    enrichedKeys: async function* () {},
    misfit: async () => undefined,
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
