import { botEvents } from '../wire-events.ts'
import { wireEventForm } from '../wire-form.ts'

const [message, invite, joined, unavailable, closed] = botEvents

/** Service to bot: a client's message, which the bot must answer (protocol, Events, Interface B). */
export const WireClientMessage = wireEventForm('event', message)

/** Service to bot: the chat was transferred to an agent (protocol, Endpoints). */
export const WireInviteAgent = wireEventForm('event', invite)

/** Service to bot: an agent has connected to the conversation. */
export const WireAgentJoined = wireEventForm('event', joined)

/** Service to bot: no agent can take the chat now. */
export const WireAgentUnavailable = wireEventForm('event', unavailable)

/** Service to bot: the chat has ended (field notes). They do not show `client_id`. */
export const WireChatClosed = wireEventForm('event', closed)
