import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { closed, shape } from '../primitives.ts'

/** A field of a team's own. */
const CustomData = closed(
  t.type(
    {
      /** The field's name. */
      title: Text,
      /** What stands in it. */
      content: Text,
    },
    'CustomData',
  ),
)

const ContactInfo = closed(
  t.partial(
    {
      /** The visitor's name. */
      name: Text,
      /** The visitor's phone number. */
      phone: Text,
      /** The visitor's address. */
      email: Text,
    },
    'ContactInfo',
  ),
)

const EnrichmentPage = closed(
  shape(
    {
      /** The page's address. */
      url: Text,
    },
    {
      /** Its title. */
      title: Text,
    },
    'EnrichmentPage',
  ),
)

/** What agents shall see of a visitor (protocol, Interface A: response parameters), each part optional. */
export const Enrichment = closed(
  t.partial(
    {
      /** Fields of your own, in the order in which agents see them. */
      customData: t.array(CustomData),
      /** Contacts, shown as if the visitor had given them. */
      contactInfo: ContactInfo,
      /** Whether agents see the means to link the client to the CRM. */
      enableAssign: t.boolean,
      /** The visitor's card in the CRM. */
      crmLink: Text,
      /** The page that the visitor is on. */
      page: EnrichmentPage,
    },
    'Enrichment',
  ),
)
export type Enrichment = t.TypeOf<typeof Enrichment>

/** By what a visitor is found, in the order of the look-up: the first hit answers. */
export const enrichmentFields = ['userToken', 'clientId', 'email', 'phone', 'visitorNumber'] as const
export type EnrichmentField = (typeof enrichmentFields)[number]

/** `acme/email:john@example.com` */
export const enrichmentKey = (accountId: string, field: EnrichmentField, value: string): string =>
  `${accountId}/${field}:${value}`
