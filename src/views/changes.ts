import type { OperatorAction } from '../../contracts/commands/operator-action.ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { Dated } from '../../contracts/views/dated.ts'
import type { ViewName, Views } from '../../contracts/views.ts'
import { deliveryId } from '../domain/delivery.ts'
import type { Change, Recorded } from '../domain/ports.ts'
import { evolveCall } from './calls.ts'
import { evolveChat } from './chats.ts'
import { evolveClient } from './clients.ts'
import { evolveConversation } from './conversations.ts'
import { evolveOutcome, evolvePending, type RecordedReply } from './deliveries.ts'
import { driftOfEvent } from './drift.ts'
import { erasuresOf } from './erasures.ts'
import { documentId } from './fields.ts'
import { storable } from './free-form.ts'
import { evolveOfflineMessage, offlineMessageId } from './offline-messages.ts'
import { chainId } from './sessions.ts'
import { evolveAgentSessions } from './sessions-agent.ts'
import { evolveBotSessions } from './sessions-bot.ts'
import { evolveTimeline, timelineId } from './timeline.ts'

/** A view holds its own documents only, so `current` is one of them. */
const change = <V extends ViewName>(
  view: V,
  id: string,
  evolve: (current: Views[V] | undefined) => Views[V],
): Change => ({ view, id, evolve: (current) => [evolve(current as Views[V] | undefined)] })

const sessions = (
  id: string,
  evolve: (current: Views['sessions'] | undefined) => ReadonlyArray<Views['sessions']>,
): Change => ({ view: 'sessions', id, evolve: (current) => evolve(current as Views['sessions'] | undefined) })

const viewChanges = (recorded: Recorded): ReadonlyArray<Change> => {
  const { event } = recorded
  const as = <E extends Dated<DomainEvent>>(narrowed: E) => ({ ...recorded, event: narrowed })
  switch (event.type) {
    case 'ChatAccepted':
    case 'ChatAssigned':
    case 'ChatUpdated':
    case 'ChatFinished':
      return [
        change('chats', documentId(event), (current) => evolveChat(current, as(event))),
        sessions(chainId(event, 'agent'), (current) => evolveAgentSessions(current, as(event))),
      ]
    case 'CallStatusChanged':
      return [change('calls', documentId(event), (current) => evolveCall(current, as(event)))]
    case 'ClientUpdated':
      return [change('clients', documentId(event), (current) => evolveClient(current, as(event)))]
    case 'OfflineMessageReceived':
      return [
        change('offline_messages', offlineMessageId(event), (current) => evolveOfflineMessage(current, as(event))),
      ]
    case 'ClientMessageReceived':
    case 'AgentInvited':
    case 'AgentJoined':
    case 'AgentUnavailable':
    case 'ChatClosed':
      return [
        change('conversations', documentId(event), (current) => evolveConversation(current, as(event))),
        sessions(chainId(event, 'bot'), (current) => evolveBotSessions(current, as(event))),
      ]
    case 'ClientErased':
    case 'ChatErased':
      return erasuresOf(event, recorded)
    case 'BotReplyDelivered':
    case 'BotReplyFailed':
    case 'BotReplySuppressed': {
      // Another command has this id. That command keeps its delivery, and its conversation has not changed.
      if (event.type === 'BotReplyFailed' && event.data.reason === 'duplicate') return []
      const id = deliveryId(event.data)
      return [
        change('conversations', documentId(event), (current) => evolveConversation(current, as(event))),
        change('deliveries', id, (current) => evolveOutcome(current, as(event))),
        sessions(chainId(event, 'bot'), (current) => evolveBotSessions(current, as(event))),
      ]
    }
  }
}

/** The changes that an event makes: in its views, in timeline and in `drift`, with storable values only. */
export const changesOfEvent = (recorded: Recorded): ReadonlyArray<Change> => {
  const event = storable(recorded.event)
  const isAsItCame = event === recorded.event
  return [
    ...viewChanges({ ...recorded, event }),
    change('timeline', timelineId(event), (current) => evolveTimeline(current, recorded, isAsItCame)),
    ...driftOfEvent(recorded),
  ]
}

/** The document of an operator's action; written once. */
export const changesOfAction = ({ type: _, id, at, ...rest }: OperatorAction): ReadonlyArray<Change> => [
  change('audit', id, (current) => current ?? { _id: id, at: new Date(at), ...rest }),
]

/** The document that a valid command of bot-replies makes. */
export const changesOfReply = (recorded: RecordedReply): ReadonlyArray<Change> => {
  const stored = { ...recorded, reply: storable(recorded.reply) }
  const { accountId, chatId, id: commandId } = stored.reply
  const id = deliveryId({ accountId, chatId, commandId })
  return [change('deliveries', id, (current) => evolvePending(current, stored))]
}
