import callSample from '../../contracts/webhooks/samples/call_event.json' with { type: 'json' }
import acceptedSample from '../../contracts/webhooks/samples/chat_accepted.json' with { type: 'json' }
import assignedSample from '../../contracts/webhooks/samples/chat_assigned.json' with { type: 'json' }
import finishedSample from '../../contracts/webhooks/samples/chat_finished.json' with { type: 'json' }
import updatedSample from '../../contracts/webhooks/samples/chat_updated.json' with { type: 'json' }
import clientSample from '../../contracts/webhooks/samples/client_updated.json' with { type: 'json' }
import offlineSample from '../../contracts/webhooks/samples/offline_message.json' with { type: 'json' }

const build =
  <Sample extends { readonly event_name: string }>(sample: Sample) =>
  (overrides: Readonly<Record<string, unknown>> = {}): Sample & Readonly<Record<string, unknown>> => ({
    ...sample,
    ...overrides,
  })

/**
 * The webhooks' payloads. Each is the contract's sample, with the fields that the reference's table lists for its event
 * (protocol, Resources, Interface A). Overrides replace whole fields and add fields.
 */
export const callEvent = build(callSample)
export const chatAccepted = build(acceptedSample)
export const chatAssigned = build(assignedSample)
export const chatUpdated = build(updatedSample)
export const clientUpdated = build(clientSample)
export const chatFinished = build(finishedSample)
/** chat_finished with a rating. Its log ends now, because the sample's log is years old. */
export const chatRated = (chat_id: number, rate: string) => {
  const { chat } = chatFinished()
  const later = Math.floor(Date.now() / 1000) - Math.max(...chat.messages.map(({ timestamp }) => timestamp))
  const messages = chat.messages.map((message) => ({ ...message, timestamp: message.timestamp + later }))
  return chatFinished({ chat_id, chat: { ...chat, messages, rate } })
}
export const offlineMessage = build(offlineSample)
