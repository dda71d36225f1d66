import { Text } from '../personal.ts'
import { exactShape } from '../primitives.ts'

/**
 * The estimated location of the client's address. `countryCode` is of ISO 3166-1, `organization` the internet provider.
 */
export const Geoip = exactShape(
  {},
  {
    /** Code of the region. */
    regionCode: Text,

    /** Code of the country, of ISO 3166-1. */
    countryCode: Text,

    /** Name of the country. */
    country: Text,

    /** Name of the region. */
    region: Text,

    /** Name of the city. */
    city: Text,

    /** In degrees, as decimal text. */
    latitude: Text,

    /** In degrees, as decimal text. */
    longitude: Text,

    /** The internet provider. */
    organization: Text,
  },
  'Geoip',
)

/** The utm_ parameters with which the visitor arrived. */
export const Utm = exactShape(
  {},
  {
    /** utm_source. */
    source: Text,
    /** utm_campaign. */
    campaign: Text,
    /** utm_content. */
    content: Text,
    /** utm_medium. */
    medium: Text,
    /** utm_term. */
    term: Text,
  },
  'Utm',
)

/** The visitor's session. `utm` has in one line what `utmJson` has in parts, as the service writes it. */
export const Session = exactShape(
  {},
  {
    /** The estimated location of the visitor's address. */
    geoip: Geoip,
    /** The same as utmJson in one line, with `|` between its parts. */
    utm: Text,
    /** The utm_ parameters in parts. */
    utmJson: Utm,
    /** The visitor's IP address. */
    ipAddr: Text,
    /** How the visitor's browser identifies itself. */
    userAgent: Text,
  },
  'Session',
)

/** The page that the visitor is on. */
export const Page = exactShape(
  {},
  {
    /** The page's address. */
    url: Text,
    /** The title of the page. */
    title: Text,
  },
  'Page',
)
