import * as t from 'io-ts'
import { Count, exactShape } from './primitives.ts'

const code = t.keyof({
  invalid_request: null,
  invalid_client: null,
  unauthorized_client: null,
  temporarily_unavailable: null,
  server_error: null,
})
const error = t.strict({ code, message: t.string }, 'RefusalError')

/** The event is durable, or (Interface A) its name is not known and it is in quarantine. */
export const Accepted = t.strict({ result: t.literal('ok') }, 'Accepted')

/** Why a request was refused: a code, and the fields with what was expected there. What was sent is not repeated. */
export const Refusal = t.strict({ error }, 'Refusal')

/** A refusal of Interface A. */
export const WebhookRefusal = t.strict({ result: t.literal('error'), error }, 'WebhookRefusal')

/** A request for an access token: the client-credentials grant (RFC 6749, section 4.4), credentials here or in the header; every parameter is text. */
export const AccessTokenRequest = t.intersection(
  [
    t.type({ grant_type: t.literal('client_credentials') }),
    t.partial({ client_id: t.string, client_secret: t.string }),
    t.record(t.string, t.string),
  ],
  'AccessTokenRequest',
)

/** An access token for Interface B (RFC 6749, section 5.1); `expires_in` in seconds. */
export const AccessToken = t.strict(
  { access_token: t.string, token_type: t.literal('Bearer'), expires_in: Count },
  'AccessToken',
)

/** Why there is no access token (RFC 6749, section 5.2). */
export const AccessTokenRefusal = t.strict(
  {
    error: t.keyof({ invalid_request: null, invalid_client: null, unsupported_grant_type: null, server_error: null }),
    error_description: t.string,
  },
  'AccessTokenRefusal',
)

/** The process runs. */
export const Liveness = t.strict({ alive: t.literal(true) }, 'Liveness')

/** Whether requests can be served, with the state of every dependency and a reason. */
export const Readiness = t.strict(
  { ready: t.boolean, checks: t.record(t.string, exactShape({ ok: t.boolean, reason: t.string }, {}, 'Check')) },
  'Readiness',
)
