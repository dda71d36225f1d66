import { webhookEvents } from '../wire-events.ts'
import { wireEventForm } from '../wire-form.ts'

const [call, accepted, assigned, updated, client, finished, offline] = webhookEvents

/** Interface A: agents get a new call, or a call's status changes (protocol, Events). */
export const WireCallEvent = wireEventForm('event_name', call)

/** Interface A: an agent accepts a chat. */
export const WireChatAccepted = wireEventForm('event_name', accepted)

/** Interface A: a chat is linked to the CRM; `assign_to` is the link that was used. */
export const WireChatAssigned = wireEventForm('event_name', assigned)

/** Interface A: the visitor's information changes during a chat. */
export const WireChatUpdated = wireEventForm('event_name', updated)

/** Interface A: a client's data changes, in a chat or outside. */
export const WireClientUpdated = wireEventForm('event_name', client)

/** Interface A: a chat is closed. The event has its log. */
export const WireChatFinished = wireEventForm('event_name', finished)

/** Interface A: a visitor writes through the offline form. */
export const WireOfflineMessage = wireEventForm('event_name', offline)
