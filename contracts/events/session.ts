import * as t from 'io-ts'
import { exactShape } from '../primitives.ts'

/** Where the client's address seems to be; `countryCode` is of ISO 3166-1, `organization` the internet provider. */
export const Geoip = exactShape(
  {},
  {
    /** Code of the region. */
    regionCode: t.string,

    /** Code of the country, of ISO 3166-1. */
    countryCode: t.string,

    /** Name of the country. */
    country: t.string,

    /** Name of the region. */
    region: t.string,

    /** Name of the city. */
    city: t.string,

    /** In degrees, as decimal text. */
    latitude: t.string,

    /** In degrees, as decimal text. */
    longitude: t.string,

    /** The internet provider. */
    organization: t.string,
  },
  'Geoip',
)

/** The utm_ parameters under which the visitor came. */
export const Utm = exactShape(
  {},
  {
    /** utm_source. */
    source: t.string,
    /** utm_campaign. */
    campaign: t.string,
    /** utm_content. */
    content: t.string,
    /** utm_medium. */
    medium: t.string,
    /** utm_term. */
    term: t.string,
  },
  'Utm',
)

/** The visitor's session; `utm` is the service's one line of what `utmJson` has in parts. */
export const Session = exactShape(
  {},
  {
    /** Where the visitor's address seems to be. */
    geoip: Geoip,
    /** The same as utmJson in one line, with `|` between its parts. */
    utm: t.string,
    /** The utm_ parameters in parts. */
    utmJson: Utm,
    /** The visitor's IP address. */
    ipAddr: t.string,
    /** What the visitor's browser says it is. */
    userAgent: t.string,
  },
  'Session',
)

/** The page that the visitor is on. */
export const Page = exactShape(
  {},
  {
    /** The page's address. */
    url: t.string,
    /** Its title. */
    title: t.string,
  },
  'Page',
)
