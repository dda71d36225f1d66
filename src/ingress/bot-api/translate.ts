import {
  WireAgentJoined,
  WireAgentUnavailable,
  WireChatClosed,
  WireClientMessage,
  WireInviteAgent,
} from '../../../contracts/bot-api/inbound.ts'
import {
  AgentInvited,
  AgentJoined,
  AgentUnavailable,
  ChatClosed,
  ClientMessageReceived,
} from '../../../contracts/events/index.ts'
import { translations } from '../translation.ts'

/** A bot event's payload to ours (protocol, Events, Interface B); the event's id is the wire's. */
export const translate = translations('bot', 'event', {
  CLIENT_MESSAGE: { wire: WireClientMessage, event: ClientMessageReceived, subject: 'chatId' },
  INVITE_AGENT: { wire: WireInviteAgent, event: AgentInvited, subject: 'chatId', with: { invitedBy: 'service' } },
  AGENT_JOINED: { wire: WireAgentJoined, event: AgentJoined, subject: 'chatId' },
  AGENT_UNAVAILABLE: { wire: WireAgentUnavailable, event: AgentUnavailable, subject: 'chatId' },
  CHAT_CLOSED: { wire: WireChatClosed, event: ChatClosed, subject: 'chatId' },
})
