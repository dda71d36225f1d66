import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import type { RetainState, SilentPersons } from '../../../../src/bridge/mongo/silent-persons.ts'

export type Logged = {
  readonly _id: string
  readonly time: Date
  readonly chatId: string
  readonly clientId: string
}

type Beside = {
  readonly receipts?: Map<string, ErasureDocument>
  readonly isErased?: (chatId: string) => boolean
  readonly persons?: () => number
}

/**
 * MongoDB in memory for one account's silent persons. `entries`: its events by time. Their records are in this order in
 * partition 0 of chats.
 */
export const memorySilentPersons = (
  entries: ReadonlyArray<Logged>,
  { receipts = new Map<string, ErasureDocument>(), isErased = () => false, persons = () => 0 }: Beside = {},
) => {
  const states = new Map<string, RetainState>()
  type Of = Parameters<SilentPersons['lastEventAt']>[1]
  const lastOf = ({ chats, clients }: Of) =>
    entries.findLastIndex(({ chatId, clientId }) => chats.includes(chatId) || clients.includes(clientId))
  const silentPersons: SilentPersons = {
    claim: async (receipt) => {
      if (receipts.has(receipt._id)) return false
      receipts.set(receipt._id, receipt)
      return true
    },
    entries: async (_, { after, before }, limit) => {
      const due = entries.filter(({ time }) => time < before && (after === undefined || time > after))
      const last = due[limit - 1]?.time.getTime()
      const found = due.filter((entry, i) => i < limit || entry.time.getTime() === last)
      return found.map((entry) => ({ ...entry, ...(isErased(entry.chatId) && { erased: true as const }) })) as never
    },
    lastEventAt: async (_, of) => entries[lastOf(of)]?.time,
    lastPlaces: async (_, of) => {
      const offset = lastOf(of)
      return offset === -1 ? [] : ([{ topic: 'chats', partition: 0, offset }] as never)
    },
    requestsSince: async (_, by, since) =>
      [...receipts.values()].flatMap(({ request, requestedBy, requestedAt }) =>
        requestedBy === by && requestedAt > since ? [request] : [],
      ),
    countPersons: async () => persons(),
    retainState: async (accountId) => states.get(accountId),
    retainStates: async () => [...states.values()],
    keepWaiting: async (_id, waiting) => {
      const { waiting: _, ...rest } = states.get(_id) ?? { _id }
      states.set(_id, { ...rest, ...(waiting && { waiting }) })
    },
    keepRelease: async (_id, released) => void states.set(_id, { ...(states.get(_id) ?? { _id }), released }),
  }
  return { silentPersons, states }
}
