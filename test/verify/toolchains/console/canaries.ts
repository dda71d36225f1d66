import { samples } from '../../../support/samples.ts'
import type { ConsoleWorld } from './world.ts'

/** Fields that the contracts count as the service's own words, ids and times. They are not personal. */
const impersonal = new Set([
  'event',
  'event_name',
  'type',
  'status',
  'rate',
  'timestamp',
  'id',
  'widget_id',
  'chat_id',
  'client_id',
  'agent_id',
  'button_id',
  'number',
  'site_id',
  'offline_message_id',
])

/** The value, with `mark` and the field's path in place of each text that may be personal. */
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

/** Fields that the contracts do not know, one for each kind of value. */
const unknown = (mark: string) => ({
  unknown_field: `${mark}.unknown`,
  unknownObject: { inner: [`${mark}.unknown.inner`] },
})

/** The chats that contain the marked texts. */
export const markedChats = ['2037', '2040', '2041', 'canary-1', 'canary-2']

/**
 * Sends all samples of both interfaces, replies, and a record that breaks its contract, with `mark` in each text that
 * may be personal.
 */
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
