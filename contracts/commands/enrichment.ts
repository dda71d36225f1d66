import * as t from 'io-ts'
import { shape } from '../primitives.ts'

/** What agents shall see of a visitor (protocol, Interface A: response parameters), each part optional. */
export const Enrichment = t.partial(
  {
    customData: t.array(t.type({ title: t.string, content: t.string }, 'CustomData')),
    contactInfo: t.partial({ name: t.string, phone: t.string, email: t.string }, 'ContactInfo'),
    enableAssign: t.boolean,
    crmLink: t.string,
    page: shape({ url: t.string }, { title: t.string }, 'EnrichmentPage'),
  },
  'Enrichment',
)
export type Enrichment = t.TypeOf<typeof Enrichment>

/** By what a visitor is found, in the order of the look-up: the first hit answers. */
export const enrichmentFields = ['userToken', 'clientId', 'email', 'phone', 'visitorNumber'] as const
export type EnrichmentField = (typeof enrichmentFields)[number]

/** `acme/email:john@example.com` */
export const enrichmentKey = (accountId: string, field: EnrichmentField, value: string): string =>
  `${accountId}/${field}:${value}`
