import {
  CallStatusChanged,
  ChatAccepted,
  ChatAssigned,
  ChatFinished,
  ChatUpdated,
  ClientUpdated,
  OfflineMessageReceived,
} from '../../../contracts/events/index.ts'
import {
  WireCallEvent,
  WireChatAccepted,
  WireChatAssigned,
  WireChatFinished,
  WireChatUpdated,
  WireClientUpdated,
  WireOfflineMessage,
} from '../../../contracts/webhooks/events.ts'
import { translations } from '../translation.ts'

/** A webhook's payload to its event (protocol, Events, Interface A); `receipt.id` is the event's id (see identity.ts). */
export const translate = translations('webhooks', 'event_name', {
  call_event: { wire: WireCallEvent, event: CallStatusChanged, subject: 'chatId' },
  chat_accepted: { wire: WireChatAccepted, event: ChatAccepted, subject: 'chatId' },
  chat_assigned: { wire: WireChatAssigned, event: ChatAssigned, subject: 'chatId' },
  chat_updated: { wire: WireChatUpdated, event: ChatUpdated, subject: 'chatId' },
  client_updated: { wire: WireClientUpdated, event: ClientUpdated, subject: 'clientId' },
  chat_finished: { wire: WireChatFinished, event: ChatFinished, subject: 'chatId' },
  offline_message: { wire: WireOfflineMessage, event: OfflineMessageReceived, subject: 'chatId' },
})
