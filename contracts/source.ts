import { type DomainEvent, ErasureEvent } from './events/index.ts'
import type { NonBlank } from './primitives.ts'
import { botEvents, webhookEvents } from './wire-events.ts'

/** What accepts or makes events: the routes of both interfaces, egress, and erasures. */
export type Source = 'webhooks' | 'bot' | 'egress' | 'erasures'

/** Where the events of a chat come from. */
export const chatSources: ReadonlyArray<Source> = ['bot', 'egress', 'webhooks']

/** The `source` of an event: `/accounts/acme/webhooks`. */
export const sourceAt = (accountId: string, source: Source): NonBlank => `/accounts/${accountId}/${source}` as NonBlank

const isOf = (events: ReadonlyArray<{ readonly type: string }>, type: string) =>
  events.some((event) => event.type === type)

/** What accepts or makes the events of a type. An AgentInvited may also be of egress. */
export const sourceOfType = (type: DomainEvent['type']): Source => {
  if (isOf(webhookEvents, type)) return 'webhooks'
  if (isOf(botEvents, type)) return 'bot'
  return ErasureEvent.types.some((event) => event.type.types[0].props.type.value === type) ? 'erasures' : 'egress'
}
