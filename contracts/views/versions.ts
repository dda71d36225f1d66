import type { ViewName } from '../views.ts'

/**
 * The version of each view's documents. Increase it with a change after which folding an old document on would not give
 * the same as a fold of the whole log. Documents of an old version are never folded on, but rebuilt.
 */
export const viewVersions: { readonly [V in ViewName]: number } = {
  chats: 2,
  calls: 2,
  clients: 2,
  offline_messages: 2,
  conversations: 2,
  sessions: 3,
  timeline: 2,
  daily_stats: 1,
  daily_stats_by: 1,
  deliveries: 2,
  audit: 1,
  drift: 2,
}
