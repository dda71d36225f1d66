import { randomUUID } from 'node:crypto'
import joinedSample from '../../../contracts/bot-api/samples/AGENT_JOINED.json' with { type: 'json' }
import unavailableSample from '../../../contracts/bot-api/samples/AGENT_UNAVAILABLE.json' with { type: 'json' }
import closedSample from '../../../contracts/bot-api/samples/CHAT_CLOSED.json' with { type: 'json' }
import messageSample from '../../../contracts/bot-api/samples/CLIENT_MESSAGE.extra-fields.json' with { type: 'json' }
import inviteSample from '../../../contracts/bot-api/samples/INVITE_AGENT.json' with { type: 'json' }

type Overrides = Readonly<Record<string, unknown>>

const build =
  <Sample extends { readonly id: string; readonly chat_id: string; readonly client_id: string }>(sample: Sample) =>
  (overrides: Overrides = {}): Sample => ({ ...sample, id: randomUUID(), ...overrides })

/** A client's message of type TEXT, written now; `button_id` where a button was clicked. */
export const textMessage = (text: string, overrides: Overrides = {}) => ({
  type: 'TEXT',
  text,
  timestamp: Math.floor(Date.now() / 1000),
  ...overrides,
})

/** The service's events for the bot: contract samples with new ids. Overrides replace whole fields and add fields. */
export const clientMessage = build(messageSample)
export const inviteAgent = build(inviteSample)
export const agentJoined = build(joinedSample)
export const agentUnavailable = build(unavailableSample)
/** This event is only in the field notes. */
export const chatClosed = build(closedSample)
