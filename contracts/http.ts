import * as t from 'io-ts'
import { Count } from './primitives.ts'

const code = t.keyof({
  invalid_request: null,
  invalid_client: null,
  unauthorized_client: null,
  temporarily_unavailable: null,
  server_error: null,
})
const error = t.strict(
  {
    /** A word for what is wrong (protocol, Errors). */
    code,
    /** The fields, and what was expected there. */
    message: t.string,
  },
  'RefusalError',
)

/** The event is durable, or (Interface A) its name is not known and it is in quarantine. */
export const Accepted = t.strict(
  {
    /** Says that the event was taken. */
    result: t.literal('ok'),
  },
  'Accepted',
)

/** Why a request was refused: a code, and the fields with what was expected there. What was sent is not repeated. */
export const Refusal = t.strict(
  {
    /** What is wrong. */
    error,
  },
  'Refusal',
)

/** A refusal of Interface A. */
export const WebhookRefusal = t.strict(
  {
    /** Says that nothing of this is for agents. */
    result: t.literal('error'),
    /** What is wrong. */
    error,
  },
  'WebhookRefusal',
)

/** A request for an access token: the client-credentials grant (RFC 6749, section 4.4), credentials here or in the header; every parameter is text. */
export const AccessTokenRequest = t.intersection(
  [
    t.type({
      /** The only grant that there is. */
      grant_type: t.literal('client_credentials'),
    }),
    t.partial({
      /** The client id of the account's authorization. */
      client_id: t.string,
      /** Its secret key. */
      client_secret: t.string,
    }),
    t.record(t.string, t.string),
  ],
  'AccessTokenRequest',
)

/** An access token for Interface B (RFC 6749, section 5.1); `expires_in` in seconds. */
export const AccessToken = t.strict(
  {
    /** What goes into the Authorization header. */
    access_token: t.string,
    /** How it goes there. */
    token_type: t.literal('Bearer'),
    /** For how many seconds it is valid. */
    expires_in: Count,
  },
  'AccessToken',
)

/** Why there is no access token (RFC 6749, section 5.2). */
export const AccessTokenRefusal = t.strict(
  {
    /** A word for what is wrong (RFC 6749, section 5.2). */
    error: t.keyof({ invalid_request: null, invalid_client: null, unsupported_grant_type: null, server_error: null }),

    /** The parameters, and what was expected there. */
    error_description: t.string,
  },
  'AccessTokenRefusal',
)
