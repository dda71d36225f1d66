import {
  audit,
  botConversations,
  botReplies,
  calls,
  chats,
  clients,
  eventTopics,
  offlineMessages,
  quarantine,
  type TopicName,
} from '../../contracts/topics.ts'
import type { ViewName } from '../../contracts/views.ts'
import { statsViews } from './stats-days.ts'

/** The topics that each view is folded from; none for statistics, which are computed from the other views. */
const sources: { readonly [V in ViewName]: ReadonlyArray<TopicName> } = {
  chats: [chats.name],
  calls: [calls.name],
  clients: [clients.name],
  offline_messages: [offlineMessages.name],
  conversations: [botConversations.name],
  timeline: eventTopics.map(({ name }) => name),
  daily_stats: [],
  daily_stats_by: [],
  sessions: [chats.name, botConversations.name],
  deliveries: [botConversations.name, botReplies.name],
  audit: [audit.name],
  drift: [...eventTopics.map(({ name }) => name), quarantine.name],
}

export const viewNames = Object.keys(sources) as ReadonlyArray<ViewName>

export const topicsOf = (views: ReadonlyArray<ViewName>): ReadonlyArray<TopicName> => [
  ...new Set(views.flatMap((view) => sources[view])),
]

/** Those of the views that are folded from topics. */
export const foldedOf = (views: ReadonlyArray<ViewName>): ReadonlyArray<ViewName> =>
  views.filter((view) => sources[view].length > 0)

/** Whether a view is computed from others. */
export const isComputed = (view: ViewName): boolean => sources[view].length === 0

/** Whether statistics may change when these views change. */
export const changesStats = (views: ReadonlyArray<ViewName>): boolean =>
  views.some((view) => isComputed(view) || Object.hasOwn(statsViews, view))
