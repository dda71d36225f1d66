import { bulkhead } from 'cockatiel'
import type { ConversationDocument } from '../../../contracts/views/conversation.ts'
import type { DeliveryDocument } from '../../../contracts/views/delivery.ts'
import { persistently, within } from '../patience.ts'
import type { EgressPorts } from '../ports.ts'

/** The documents of a chat and of a command, each where there is one. */
export type KnownViews = {
  readonly conversation: ConversationDocument | undefined
  readonly delivery: DeliveryDocument | undefined
}
/** Undefined is 'the views cannot be read now'; what is not asked for is not read. */
export type ReadViews = (chatId: string | undefined, deliveryId: string | undefined) => Promise<KnownViews | undefined>

const atOnce = 64
const withinMs = 2000
const awayMs = 1000

/**
 * Reads the views with patience: up to two seconds, so many commands at once. Where that was in vain, nothing is read for a
 * second: replies must not queue for a MongoDB that is away.
 */
export const viewsReader = (
  ports: Pick<EgressPorts, 'readDocument' | 'sleep' | 'random' | 'log' | 'monotonic'>,
): ReadViews => {
  const places = bulkhead(atOnce, Number.POSITIVE_INFINITY)
  let awayUntil = Number.NEGATIVE_INFINITY
  return (chatId, deliveryId) =>
    places.execute(async () => {
      if (ports.monotonic() < awayUntil) return undefined
      const read = async () => {
        const [conversation, delivery] = await Promise.all([
          chatId === undefined ? undefined : ports.readDocument('conversations', chatId),
          deliveryId === undefined ? undefined : ports.readDocument('deliveries', deliveryId),
        ])
        return { conversation, delivery }
      }
      const known = await within(ports.sleep, withinMs, (given) => persistently(ports, 'views', read, given))
      if (known?.value === undefined) awayUntil = ports.monotonic() + awayMs
      return known?.value?.value
    })
}
