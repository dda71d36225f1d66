import { samples } from '../../support/samples.ts'
import type { ConsoleWorld } from './world.ts'

/** What the contracts count as words of the service, ids and times: they tell of nobody. */
const impersonal = new Set([
  ...['event', 'event_name', 'type', 'status', 'rate', 'timestamp', 'id', 'widget_id', 'chat_id', 'client_id'],
  ...['agent_id', 'button_id', 'number', 'site_id', 'offline_message_id'],
])

/** The value with `mark` and the path in every text that may be personal. */
export const marked = (value: unknown, mark: string, path = ''): unknown => {
  if (Array.isArray(value)) return value.map((each) => marked(each, mark, path))
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        impersonal.has(name) && typeof field !== 'object' ? field : marked(field, mark, `${path}.${name}`),
      ]),
    )
  return typeof value === 'string' && value !== '' ? `${mark}${path}` : value
}

/** Every field that the contracts do not know, of each kind of value. */
const unknown = (mark: string) => ({
  unknown_field: `${mark}.unknown`,
  unknownObject: { inner: [`${mark}.unknown.inner`] },
})

/** The chats in which the marked texts stand. */
export const markedChats = ['2037', '2040', '2041', 'canary-1', 'canary-2']

/** Sends every sample of both interfaces, replies, and what breaks its contract, all with `mark` wherever something personal may stand. */
export const sendMarked = async (here: ConsoleWorld, account: string, mark: string): Promise<void> => {
  const { service, produce } = here
  for (const api of ['webhooks', 'bot-api'] as const)
    for (const kind of ['accepted', 'unknown', 'refused'] as const)
      for (const { value } of samples(api, kind)) {
        const body = { ...(marked(value, mark) as object), ...(Array.isArray(value) ? {} : unknown(mark)) }
        await (api === 'webhooks' ? service.webhook(account, body) : here.postBotEvent(account, body))
      }
  const buttons = [{ id: '1', text: `${mark}.button` }]
  for (const [chat, message] of [
    ['canary-1', { type: 'BUTTONS', title: `${mark}.title`, text: `${mark}.text`, buttons }],
    ['canary-2', { type: 'BUTTONS', title: `${mark}.refused`, text: `${mark}.refused.text`, buttons: [] }],
  ] as const) {
    await service.clientWrites(chat, `${mark}.client`, { accountId: account, fields: unknown(mark) })
    const command = { type: 'BotMessage', id: `reply-${chat}`, accountId: account, chatId: chat, clientId: chat }
    await produce('bot-replies', `${account}/${chat}`, JSON.stringify({ ...command, message }))
  }
  await produce('chats', `${account}/2037`, JSON.stringify({ not: `${mark}.dead` }))
}
