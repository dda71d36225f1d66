import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import { keyOf } from '../../../../contracts/topics.ts'
import type { ConversationDocument } from '../../../../contracts/views/conversation.ts'
import type { DeliveryDocument } from '../../../../contracts/views/delivery.ts'
import { dated } from '../../../../src/bridge/domain/dated.ts'
import { deliveryId } from '../../../../src/bridge/domain/delivery.ts'
import { evolveConversation } from '../../../../src/bridge/views/conversations.ts'
import { evolveOutcome } from '../../../../src/bridge/views/deliveries.ts'

/** The two views that egress reads, as the projector folds the first events of partition 0 of bot-conversations. */
export const project = (events: ReadonlyArray<ConversationEvent>) => {
  const conversations = new Map<string, ConversationDocument>()
  const deliveries = new Map<string, DeliveryDocument>()
  events.forEach((event, offset) => {
    const place = { topic: 'bot-conversations', partition: 0, offset } as const
    const chat = keyOf(event)
    conversations.set(chat, evolveConversation(conversations.get(chat), { event: dated(event), ...place }))
    if (event.type === 'BotReplyDelivered' || event.type === 'BotReplyFailed' || event.type === 'BotReplySuppressed') {
      const id = deliveryId(event.data)
      deliveries.set(id, evolveOutcome(deliveries.get(id), { event: dated(event), ...place }))
    }
  })
  return { conversations, deliveries }
}
