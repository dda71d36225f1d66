import type { AuditDocument } from './views/audit.ts'
import type { CallDocument } from './views/call.ts'
import type { ChatDocument } from './views/chat.ts'
import type { ClientDocument } from './views/client.ts'
import type { ConversationDocument } from './views/conversation.ts'
import type { DailyStatsByDocument, DailyStatsDocument } from './views/daily-stats.ts'
import type { DeliveryDocument } from './views/delivery.ts'
import type { DriftDocument } from './views/drift.ts'
import type { OfflineMessageDocument } from './views/offline-message.ts'
import type { SessionDocument } from './views/session.ts'
import type { TimelineDocument } from './views/timeline.ts'

/** The collections that analysts query, with the type of their documents. */
export type Views = {
  readonly chats: ChatDocument
  readonly calls: CallDocument
  readonly clients: ClientDocument
  readonly offline_messages: OfflineMessageDocument
  readonly conversations: ConversationDocument
  readonly sessions: SessionDocument
  readonly timeline: TimelineDocument
  readonly daily_stats: DailyStatsDocument
  readonly daily_stats_by: DailyStatsByDocument
  readonly deliveries: DeliveryDocument
  readonly audit: AuditDocument
  readonly drift: DriftDocument
}
export type ViewName = keyof Views

export * from './views/audit.ts'
export * from './views/call.ts'
export * from './views/chat.ts'
export * from './views/client.ts'
export * from './views/conversation.ts'
export * from './views/daily-stats.ts'
export * from './views/delivery.ts'
export { DriftDocument } from './views/drift.ts'
export { ErasureDocument } from './views/erasure.ts'
export * from './views/offline-message.ts'
export { Invitation, SessionAgent, SessionDocument, SessionOutcome } from './views/session.ts'
export * from './views/timeline.ts'
