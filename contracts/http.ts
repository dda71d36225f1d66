import * as t from 'io-ts'
import { Count, exactShape, Instant } from './primitives.ts'

const code = t.keyof({
  invalid_request: null,
  invalid_client: null,
  unauthorized_client: null,
  temporarily_unavailable: null,
  server_error: null,
})
const error = t.strict(
  {
    /** The error code (protocol, Errors). */
    code,
    /** Each wrong field, and what was expected there. */
    message: t.string,
  },
  'RefusalError',
)

/** The event is durable. On Interface A also: the event name is unknown, and the event is in quarantine. */
export const Accepted = t.strict(
  {
    /** The bridge accepted the event. */
    result: t.literal('ok'),
  },
  'Accepted',
)

/** The response to a refused request: a code, and each wrong field with what was expected. It repeats no values. */
export const Refusal = t.strict(
  {
    /** The error. */
    error,
  },
  'Refusal',
)

/** The response to a refused request of Interface A. */
export const WebhookRefusal = t.strict(
  {
    /** Always `error`: the response has nothing for agents. */
    result: t.literal('error'),
    /** The error. */
    error,
  },
  'WebhookRefusal',
)

/**
 * A request for an access token: the client-credentials grant (RFC 6749, section 4.4). The credentials are here or in
 * the Authorization header. Every parameter is text.
 */
export const AccessTokenRequest = t.intersection(
  [
    t.type({
      /** The only supported grant. */
      grant_type: t.literal('client_credentials'),
    }),
    t.partial({
      /** The client id of the account's authorization. */
      client_id: t.string,
      /** The secret key of the account's authorization. */
      client_secret: t.string,
    }),
    t.record(t.string, t.string),
  ],
  'AccessTokenRequest',
)

/** An access token for Interface B (RFC 6749, section 5.1); `expires_in` in seconds. */
export const AccessToken = t.strict(
  {
    /** The token for the Authorization header. */
    access_token: t.string,
    /** The scheme in the Authorization header. */
    token_type: t.literal('Bearer'),
    /** How long the token is valid, in seconds. */
    expires_in: Count,
  },
  'AccessToken',
)

/** The response to a refused token request (RFC 6749, section 5.2). */
export const AccessTokenRefusal = t.strict(
  {
    /** The error code (RFC 6749, section 5.2). */
    error: t.keyof({ invalid_request: null, invalid_client: null, unsupported_grant_type: null, server_error: null }),

    /** Each wrong parameter, and what was expected there. */
    error_description: t.string,
  },
  'AccessTokenRefusal',
)

/**
 * A message of a chat, or the part of an agent in it. Of what agents write, nothing is here: the service does not send
 * it while the chat goes on.
 */
export const HistoryMessage = exactShape(
  {
    /** The ce_id of its event. */
    id: t.string,
    /** Who wrote it. Of the bot only what was delivered is here, also messages of the bridge itself. */
    from: t.keyof({ client: null, bot: null, agent: null }),
    /** The type of the message: TEXT, MARKDOWN, BUTTONS or another word of the service. AGENT_JOINED of an agent. */
    type: t.string,
    /** The message as plain text, at most 16,384 characters. Empty of an agent. */
    text: t.string,
    /** When the bridge received or delivered it, or when the agent joined. */
    at: Instant,
  },
  {
    /**
     * Until when the agent had the chat: until it was closed, no agent was available any more, or it was silent for a
     * day. Absent while the agent has it.
     */
    until: Instant,
  },
  'HistoryMessage',
)
export type HistoryMessage = t.TypeOf<typeof HistoryMessage>

/** The newest messages of a chat. */
export const History = t.strict(
  {
    /** The messages, oldest first. */
    messages: t.array(HistoryMessage),
    /** The ce_id of the newest event of the chat that the views have. */
    upTo: t.string,
  },
  'History',
)
export type History = t.TypeOf<typeof History>
