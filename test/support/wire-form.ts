import type * as t from 'io-ts'
import { botEventForms, webhookForms } from '../../contracts/wire-forms.ts'

/** The form of the event with this name at the service. Throws if there is none. */
export const wireFormNamed = (name: string): t.Mixed => {
  const found = [...webhookForms, ...botEventForms].find(({ event }) => event.name === name)
  if (found === undefined) throw new Error(`the service has no event ${name}`)
  return found.codec
}
