import { webhookEvents } from '../../../contracts/wire-events.ts'

type WebhookEvent = (typeof webhookEvents)[number]
type Samples = { readonly [Event in WebhookEvent as Event['name']]: Event['sample'] }

const samples = Object.fromEntries(webhookEvents.map(({ name, sample }) => [name, sample])) as Samples

const build =
  <Sample extends object>(sample: Sample) =>
  (overrides: Readonly<Record<string, unknown>> = {}): Sample & Readonly<Record<string, unknown>> => ({
    ...sample,
    ...overrides,
  })

/**
 * The webhooks' payloads. Each is the contract's sample, with the fields that the reference's table lists for its event
 * (protocol, Resources, Interface A). Overrides replace whole fields and add fields.
 */
export const callEvent = build(samples.call_event)
export const chatAccepted = build(samples.chat_accepted)
export const chatAssigned = build(samples.chat_assigned)
export const chatUpdated = build(samples.chat_updated)
export const clientUpdated = build(samples.client_updated)
export const chatFinished = build(samples.chat_finished)
/** chat_finished with a rating. Its log ends now, because the sample's log is years old. */
export const chatRated = (chat_id: number, rate: string) => {
  const { chat } = chatFinished()
  const later = Math.floor(Date.now() / 1000) - Math.max(...chat.messages.map(({ timestamp }) => timestamp))
  const messages = chat.messages.map((message) => ({ ...message, timestamp: message.timestamp + later }))
  return chatFinished({ chat_id, chat: { ...chat, messages, rate } })
}
export const offlineMessage = build(samples.offline_message)
