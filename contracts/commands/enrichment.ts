import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { closed, HttpUrl, nullable, shape } from '../primitives.ts'

/** A field that a team defines: a line of text, with a name, a link or both. */
const CustomData = closed(
  shape(
    {
      /** The content of the field. */
      content: Text,
    },
    {
      /** The field's name. */
      title: nullable(Text),
      /** The field's key in your own system. */
      key: nullable(Text),
      /** Where a click on the field leads: an address by http or https. */
      link: nullable(HttpUrl),
    },
    'CustomData',
  ),
)

const ContactInfo = closed(
  t.partial(
    {
      /** The visitor's name. */
      name: nullable(Text),
      /** The visitor's phone number. */
      phone: nullable(Text),
      /** The visitor's email address. */
      email: nullable(Text),
      /** What agents should know of the visitor. */
      description: nullable(Text),
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
      title: nullable(Text),
    },
    'EnrichmentPage',
  ),
)

/**
 * What agents see of a visitor (protocol, Interface A: response parameters). Each part is optional. A part that is null
 * is not known. The bridge leaves out a part that is wrong or unknown, and agents see the rest.
 */
export const Enrichment = closed(
  t.partial(
    {
      /** Fields of your own, in the order in which agents see them. */
      customData: nullable(t.array(CustomData)),
      /** Contacts, shown as if the visitor had given them. */
      contactInfo: nullable(ContactInfo),
      /** Whether agents see the control that links the client to the CRM. */
      enableAssign: nullable(t.boolean),
      /** The visitor's card in the CRM. */
      crmLink: nullable(Text),
      /** The page that the visitor is on. */
      page: nullable(EnrichmentPage),
    },
    'Enrichment',
  ),
)

/** The same value without the fields that are null. */
export type WithoutNull<T> =
  T extends ReadonlyArray<infer Item>
    ? Array<WithoutNull<Item>>
    : T extends object
      ? { [K in keyof T]: WithoutNull<Exclude<T[K], null>> }
      : T

/** An enrichment as the bridge has read it: what is not known is absent. */
export type Enrichment = WithoutNull<t.TypeOf<typeof Enrichment>>

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
  customData: [
    { title: 'Orders', content: '3', key: 'orders', link: 'https://crm.example.com/clients/1233/orders' },
    { content: 'Prefers to be called in the morning' },
  ],
  contactInfo: { name: 'John Smith', email: 'john.smith@example.com', description: 'A customer since 2019' },
  enableAssign: true,
  crmLink: 'https://crm.example.com/clients/1233',
  page: { url: 'https://shop.example.com/shoes', title: 'Shoes' },
}
