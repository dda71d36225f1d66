import type { DomainEvent } from '../../../../contracts/events/index.ts'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { ViewName, Views } from '../../../bridge/views/index.ts'
import * as payloads from '../payloads.ts'
import type { Story } from './story.ts'

type Scene<V extends ViewName> = {
  readonly title: string
  readonly payload: { readonly event_name: string }
  readonly topic: TopicName
  readonly type: DomainEvent['type']
  /** The field of the event's data, and its value, that identify the event. */
  readonly by: readonly [field: string, value: string]
  readonly fields: ReadonlyArray<string>
  readonly view: V
  readonly document: string
  readonly wanted: (document: Views[V]) => boolean
  readonly show: (document: Views[V]) => string
}

const play = async <V extends ViewName>({ stage, service, account }: Story, scene: Scene<V>) => {
  const { title, payload, topic, type, by, fields, view, document, wanted, show } = scene
  await stage.step(`${payload.event_name} · ${title}`, async (assertions) => {
    assertions.answered('webhook', await service.webhook(account.id, payload))
    await assertions.event(topic, type, (data) => data.accountId === account.id && data[by[0]] === by[1], fields)
    await assertions.view(view, `${account.id}/${document}`, wanted, show)
  })
}

const phone = '+14085550123'
const crmLink = 'https://crm.example.com/contacts/42'

/** Act: the seven events of Interface A, as an afternoon at the agents’ desks. Returns the chat that it closes. */
export const playWebhooks = async (story: Story): Promise<number> => {
  story.stage.heading(
    'Webhooks (Interface A): a call, a chat, an offline message',
    'The service posts each event once. The bridge answers 200 when the event is durable in Kafka; the views follow.',
  )
  const [call, chat, offline] = [story.newChatId(), story.newChatId(), story.newChatId()]
  const clientId = String(story.newChatId())
  const aboutChat = { topic: 'chats', by: ['chatId', String(chat)], view: 'chats', document: String(chat) } as const

  for (const [title, status] of [
    ['an incoming call begins', 'start'],
    ['nobody takes it', 'end'],
  ] as const)
    await play(story, {
      title,
      payload: payloads.callEvent({ chat_id: call, call: { type: 'incoming', phone, status } }),
      topic: 'calls',
      type: 'CallStatusChanged',
      by: ['chatId', String(call)],
      fields: ['call'],
      view: 'calls',
      document: String(call),
      wanted: ({ state }) => state === status,
      show: ({ type, state }) => `${type}, state ${state}`,
    })
  await play(story, {
    ...aboutChat,
    title: 'an agent accepts John’s chat',
    payload: payloads.chatAccepted({ chat_id: chat }),
    type: 'ChatAccepted',
    fields: ['agent'],
    wanted: ({ acceptedAt }) => acceptedAt !== undefined,
    show: ({ state, visitor }) => `state ${state}, visitor ${visitor?.name}`,
  })
  await play(story, {
    ...aboutChat,
    title: 'the agent links it to the CRM',
    payload: payloads.chatAssigned({ chat_id: chat, assign_to: crmLink }),
    type: 'ChatAssigned',
    fields: ['assignTo'],
    wanted: ({ assignTo }) => assignTo === crmLink,
    show: ({ assignTo }) => `assigned to ${assignTo}`,
  })
  await play(story, {
    ...aboutChat,
    title: 'John leaves another phone number',
    payload: payloads.chatUpdated({ chat_id: chat, visitor: { ...payloads.chatUpdated().visitor, phone } }),
    type: 'ChatUpdated',
    fields: ['visitor'],
    wanted: (document) => document.visitor?.phone === phone,
    show: (document) => `phone ${document.visitor?.phone}`,
  })
  await play(story, {
    title: 'he becomes a customer',
    payload: payloads.clientUpdated({ client_id: clientId, status: { id: '2', title: 'Customer' } }),
    topic: 'clients',
    type: 'ClientUpdated',
    by: ['clientId', clientId],
    fields: ['status'],
    view: 'clients',
    document: clientId,
    wanted: ({ status }) => status?.title === 'Customer',
    show: ({ status }) => `category ${status?.title}`,
  })
  await play(story, {
    ...aboutChat,
    title: 'the chat is closed, and rated bad',
    payload: payloads.chatRated(chat, 'bad'),
    type: 'ChatFinished',
    fields: ['chat'],
    wanted: ({ state }) => state === 'finished',
    show: ({ state, messages, firstResponseMs }) =>
      `state ${state}, ${messages.length} messages, first response ${firstResponseMs} ms`,
  })
  await play(story, {
    title: 'a visitor writes at night',
    payload: payloads.offlineMessage({ chat_id: offline, offline_message_id: offline }),
    topic: 'offline-messages',
    type: 'OfflineMessageReceived',
    by: ['chatId', String(offline)],
    fields: ['message'],
    view: 'offline_messages',
    document: `${offline}/${offline}`,
    wanted: ({ message }) => message !== '',
    show: ({ message }) => `“${message}”`,
  })
  return chat
}
