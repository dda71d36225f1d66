import type { CallDocument } from './views/call.ts'
import type { ChatDocument } from './views/chat.ts'
import type { ClientDocument } from './views/client.ts'
import type { ConversationDocument } from './views/conversation.ts'
import type { DailyStatsDocument } from './views/daily-stats.ts'
import type { DeliveryDocument } from './views/delivery.ts'
import type { OfflineMessageDocument } from './views/offline-message.ts'
import type { TimelineDocument } from './views/timeline.ts'

/** The collections that analysts query, and what a document of each is. */
export type Views = {
  readonly chats: ChatDocument
  readonly calls: CallDocument
  readonly clients: ClientDocument
  readonly offline_messages: OfflineMessageDocument
  readonly conversations: ConversationDocument
  readonly timeline: TimelineDocument
  readonly daily_stats: DailyStatsDocument
  readonly deliveries: DeliveryDocument
}
export type ViewName = keyof Views

export * from './views/call.ts'
export * from './views/chat.ts'
export * from './views/client.ts'
export * from './views/conversation.ts'
export * from './views/daily-stats.ts'
export * from './views/delivery.ts'
export * from './views/offline-message.ts'
export * from './views/timeline.ts'
