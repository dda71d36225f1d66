import type * as t from 'io-ts'
import { botEvents, type WireEvent, webhookEvents } from './wire-events.ts'
import { wireEventForm } from './wire-form.ts'

/** The documented form of an event of the service, and the name of its published schema: `WireChatAccepted`. */
export type WireForm = { readonly name: string; readonly codec: t.Mixed; readonly event: WireEvent }

const pascalCase = (name: string) =>
  name.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const formsOf = (field: string, events: ReadonlyArray<WireEvent>): ReadonlyArray<WireForm> =>
  events
    .map((event) => ({ name: `Wire${pascalCase(event.name)}`, codec: wireEventForm(field, event), event }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** What the service posts on Interface A. */
export const webhookForms = formsOf('event_name', webhookEvents)

/** What the service posts on Interface B. */
export const botEventForms = formsOf('event', botEvents)
