import type { DomainEvent } from '../../../contracts/events/index.ts'
import { type Expected, expectedOfEvent } from '../../../contracts/read.ts'
import { botEvents, type WireEvent, webhookEvents } from '../../../contracts/wire-events.ts'
import { decoder } from './decode-request.ts'

/** Decodes a webhook's payload into its event. The receipt has the event's id. */
export const decodeWebhook = decoder('webhooks', 'event_name', webhookEvents)

/** Decodes a bot event's payload into the domain's event, under the payload's id. */
export const decodeBotEvent = decoder('bot', 'event', botEvents)

type Wire = { readonly api: 'webhooks' | 'bot'; readonly name: string; readonly expected: Expected }

const wiresOf = (api: Wire['api'], events: ReadonlyArray<WireEvent>) =>
  events.map(({ type, name, codec, own }) => [type, { api, name, expected: expectedOfEvent(codec, own) }] as const)

const wires = new Map<DomainEvent['type'], Wire>([...wiresOf('webhooks', webhookEvents), ...wiresOf('bot', botEvents)])

/**
 * The interface, the service's name and the expected fields of events of this type; undefined if the bridge itself
 * creates them.
 */
export const wireOf = (type: DomainEvent['type']): Wire | undefined => wires.get(type)
