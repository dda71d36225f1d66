import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { closed, shape } from '../primitives.ts'

/** A field that a team defines. */
const CustomData = closed(
  t.type(
    {
      /** The field's name. */
      title: Text,
      /** The content of the field. */
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
      /** The visitor's email address. */
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
      /** The title of the page. */
      title: Text,
    },
    'EnrichmentPage',
  ),
)

/** What agents see of a visitor (protocol, Interface A: response parameters). Each part is optional. */
export const Enrichment = closed(
  t.partial(
    {
      /** Fields of your own, in the order in which agents see them. */
      customData: t.array(CustomData),
      /** Contacts, shown as if the visitor had given them. */
      contactInfo: ContactInfo,
      /** Whether agents see the control that links the client to the CRM. */
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

/** The fields by which the bridge looks a visitor up, in this order. It uses the first match. */
export const visitorFields = ['userToken', 'clientId', 'email', 'phone', 'visitorNumber'] as const

/**
 * The fields of keys. What is known of a chat, such as the note of a bot that hands it over, is added to what is known
 * of its visitor.
 */
export const enrichmentFields = [...visitorFields, 'chatId'] as const
export type EnrichmentField = (typeof enrichmentFields)[number]

/** `acme/email:john@example.com` */
export const enrichmentKey = (accountId: string, field: EnrichmentField, value: string): string =>
  `${accountId}/${field}:${value}`

export const exampleEnrichment = {
  customData: [{ title: 'Orders', content: '3' }],
  contactInfo: { name: 'John Smith', email: 'john.smith@example.com' },
  enableAssign: true,
  crmLink: 'https://crm.example.com/clients/1233',
  page: { url: 'https://shop.example.com/shoes', title: 'Shoes' },
}
