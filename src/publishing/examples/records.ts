import type { DomainEvent } from '../../../contracts/events/index.ts'
import { ceDataSchema, ceType } from '../../../contracts/topics.ts'
import type { JsonObject } from '../schema.ts'
import { exampleEvents } from './events.ts'

const sources: Partial<Record<DomainEvent['type'], string>> = {
  BotReplyDelivered: 'egress',
  BotReplyFailed: 'egress',
  BotReplySuppressed: 'egress',
  ClientMessageReceived: 'bot',
  AgentInvited: 'bot',
  AgentJoined: 'bot',
  AgentUnavailable: 'bot',
  ChatClosed: 'bot',
}

/** The headers of the example of an event. */
export const exampleHeaders = (type: DomainEvent['type']): JsonObject => {
  const { chatId, clientId } = exampleEvents[type]
  return {
    ce_specversion: '1.0',
    ce_id: '9661ab9c-48b0-11ed-a3d6-859398ff9bd9',
    ce_type: ceType(type),
    ce_source: `/accounts/acme/${sources[type] ?? 'webhooks'}`,
    ce_subject: chatId ?? clientId ?? '',
    ce_time: '2022-10-10T15:31:19.512Z',
    ce_dataschema: ceDataSchema(type),
    'content-type': 'application/json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }
}

const command = { id: 'r-1', accountId: 'acme', chatId: '2037', clientId: '1233' }

export const exampleCommands: Readonly<Record<'BotMessage' | 'InviteAgent', JsonObject>> = {
  BotMessage: {
    type: 'BotMessage',
    ...command,
    inReplyTo: '9661ab9c-48b0-11ed-a3d6-859398ff9bd9',
    message: {
      type: 'BUTTONS',
      title: 'What is it about?',
      buttons: [
        { text: 'Delivery', id: '1' },
        { text: 'Something else', id: '2' },
      ],
    },
  },
  InviteAgent: { type: 'InviteAgent', ...command },
}

export const exampleEnrichment: JsonObject = {
  customData: [{ title: 'Orders', content: '3' }],
  contactInfo: { name: 'John Smith', email: 'john.smith@example.com' },
  enableAssign: true,
  crmLink: 'https://crm.example.com/clients/1233',
  page: { url: 'https://shop.example.com/shoes', title: 'Shoes' },
}

export const exampleQuarantine: JsonObject = {
  interface: 'webhooks',
  received_at: '2022-10-10T15:31:19.512Z',
  reason: 'invalid',
  problems: 'chat_id: expected an integer or text',
  content_type: 'application/json',
}

export const exampleDeadLetter: JsonObject = {
  dl_topic: 'bot-replies',
  dl_partition: '7',
  dl_offset: '1042',
  dl_timestamp: '2022-10-10T15:31:20.000Z',
  dl_consumer: 'egress',
  dl_cause: 'invalid',
  dl_detail: 'message.buttons: expected 1 to 3 buttons',
  dl_failed_at: '2022-10-10T15:31:20.010Z',
  dl_first_failed_at: '2022-10-10T15:31:20.010Z',
}
