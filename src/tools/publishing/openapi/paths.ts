import {
  Accepted,
  AccessToken,
  AccessTokenRefusal,
  AccessTokenRequest,
  History,
  Refusal,
} from '../../../../contracts/http.ts'
import { WebhookReply } from '../../../../contracts/webhooks/reply.ts'
import { botEventForms, type WireForm, webhookForms } from '../../../../contracts/wire-forms.ts'
import { mostHistoryMessages } from '../../../bridge/domain/chat-history.ts'
import type { Json, JsonObject, Schema } from '../schema.ts'
import {
  allow,
  anyOf,
  challenge,
  errorTable,
  examples,
  header,
  jsonBody,
  ofOauth,
  ofWebhooks,
  otherMethodsRefused,
  plain,
  type Ref,
  refusals,
  tokenParameter,
} from './parts.ts'

/** What a repeated request is. The guide for downstream teams says it in the same words. */
export const repetitions = {
  webhook: 'Each request is an event of its own, also with a repeated body, because the service sends no id.',
  botEvent: 'A repetition of the same `id` is the same event.',
} as const

/** A payload of each event, by the event's name. */
const samplesOf = (forms: ReadonlyArray<WireForm>): Readonly<Record<string, Json>> =>
  Object.fromEntries(forms.map(({ event }) => [event.name, event.sample as JsonObject]))

const known = webhookForms.map(({ codec }) => codec)

/** The bridge also accepts an event that the contract does not know. */
const unknownEvent: Schema = {
  type: 'object',
  description: 'An unknown event. The bridge keeps it in quarantine.',
  properties: {
    event_name: { type: 'string', not: { enum: webhookForms.map(({ event }) => event.name) } },
  },
  required: ['event_name'],
}

const enriched = {
  result: 'ok',
  custom_data: [{ title: 'Orders', content: '3' }],
  contact_info: { name: 'John Smith', email: 'john.smith@example.com' },
  enable_assign: true,
  crm_link: 'https://crm.example.com/clients/1233',
}

/** Interface A (protocol, Endpoints). */
export const webhooksPath = (ref: Ref): JsonObject => ({
  parameters: [tokenParameter('`webhooks.token` or `webhooks.secondToken` of an account.')],
  post: {
    operationId: 'receiveWebhook',
    tags: ['Interface A'],
    summary: 'Visitor activity, from the service',
    description: `Answered once the event is durable. The answers to \`chat_accepted\` and \`chat_updated\` contain the enrichment of that visitor. ${repetitions.webhook}`,
    security: [],
    requestBody: {
      required: true,
      content: jsonBody({ anyOf: [...anyOf(known, ref), unknownEvent] }, samplesOf(webhookForms)),
    },
    responses: {
      200: {
        description: 'The event is durable, or its name is unknown and it is in quarantine.',
        content: jsonBody(ref(WebhookReply), { plain: { result: 'ok' }, enriched }),
      },
      ...refusals([400, 401, 404, 405, 408, 413, 415, 429, 431, 500, 503], ofWebhooks, ref),
    },
  },
})

const unauthorized = {
  description:
    'No account has the token in the path; or the account has `authorization`, and the header is missing, wrong or expired.',
  headers: challenge('`Bearer`, if the header was wrong.'),
}

const examplesOf401 = {
  invalid_client: { error: { code: errorTable[401].code, message: errorTable[401].message } },
  unauthorized_client: {
    error: {
      code: 'unauthorized_client',
      message: 'Authorization: expected an access token of the account that has not expired',
    },
  },
}

/** Interface B, from the service to the bot (protocol, Endpoints). */
export const botPath = (ref: Ref): JsonObject => {
  const responses = refusals([400, 404, 405, 408, 413, 415, 429, 431, 500, 503], plain, ref)
  return {
    parameters: [tokenParameter('`bot.token` or `bot.secondToken` of an account.')],
    post: {
      operationId: 'receiveBotEvent',
      tags: ['Interface B'],
      summary: "Events of a bot's conversation, from the service",
      description: `Answered within 3 s, once the event is durable. ${repetitions.botEvent}`,
      security: [{ accessToken: [] }, { bareAccessToken: [] }, {}],
      requestBody: {
        required: true,
        content: jsonBody(
          {
            anyOf: anyOf(
              botEventForms.map(({ codec }) => codec),
              ref,
            ),
          },
          samplesOf(botEventForms),
        ),
      },
      responses: {
        200: { description: 'The event is durable.', content: jsonBody(ref(Accepted), { ok: { result: 'ok' } }) },
        401: { ...unauthorized, content: jsonBody(ref(Refusal), examplesOf401) },
        ...responses,
        405: {
          ...(responses[405] as JsonObject),
          description: 'A method other than POST, or an unsupported `event`.',
        },
      },
    },
  }
}

const request = { grant_type: 'client_credentials', client_id: 'acme', client_secret: 'at-least-16-characters' }
const granted = { access_token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl', token_type: 'Bearer', expires_in: 3600 }

const constant = (value: string) => header('The response must not be cached.', { type: 'string', const: value })

/** The client-credentials grant for Interface B. */
export const oauthPath = (ref: Ref): JsonObject => ({
  post: {
    operationId: 'issueAccessToken',
    tags: ['Interface B'],
    summary: 'An access token, for client credentials',
    description:
      'OAuth 2.0, RFC 6749, section 4.4: `client_secret` is the secret key of the account. Each parameter is sent once, as text; a parameter without a value counts as absent. Credentials are in the body or in the header, not in both.',
    security: [{ clientCredentials: [] }, {}],
    requestBody: {
      required: true,
      content: {
        // JSON is first: generated clients send JSON if it is allowed, and take the body's shape from the first type.
        ...jsonBody(ref(AccessTokenRequest), { request }),
        'application/x-www-form-urlencoded': { schema: ref(AccessTokenRequest), examples: examples({ request }) },
      },
    },
    responses: {
      200: {
        description: 'An access token.',
        headers: { 'Cache-Control': constant('no-store'), Pragma: constant('no-cache') },
        content: jsonBody(ref(AccessToken), { granted }),
      },
      400: {
        description: 'Another grant type, or a parameter that is missing, repeated or not text, or another media type.',
        content: jsonBody(ref(AccessTokenRefusal), {
          invalid_request: ofOauth.body('invalid_request', 'grant_type: expected client_credentials'),
          unsupported_grant_type: ofOauth.body('unsupported_grant_type', 'grant_type: expected client_credentials'),
        }),
      },
      401: {
        description: 'The credentials are missing, or no account has them.',
        headers: challenge('`Basic`, if the credentials were in the header.'),
        content: jsonBody(ref(AccessTokenRefusal), {
          invalid_client: ofOauth.body('invalid_client', 'client_id, client_secret: expected those of an account'),
        }),
      },
      ...refusals([405, 408, 413, 431, 500], ofOauth, ref),
    },
  },
})

const said = {
  messages: [
    { id: '9661ab9c', from: 'client', type: 'TEXT', text: 'Where is my parcel?', at: '2026-01-31T10:00:00.000Z' },
    {
      id: 'acme/2037/r1:delivered',
      from: 'bot',
      type: 'TEXT',
      text: 'It arrives tomorrow.',
      at: '2026-01-31T10:00:02.000Z',
    },
    {
      id: '7d1c02aa',
      from: 'agent',
      type: 'AGENT_JOINED',
      text: '',
      at: '2026-01-31T10:05:00.000Z',
      until: '2026-01-31T10:09:00.000Z',
    },
  ],
  upTo: '0a4f1d20',
}

const inPath = (name: string, description: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
})
const inQuery = (name: string, description: string, schema: JsonObject): JsonObject => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
})

const ofHistory = (ref: Ref): JsonObject => {
  const refused = (description: string, code: string, message: string, headers: JsonObject = {}) => ({
    description,
    ...(Object.keys(headers).length > 0 && { headers }),
    content: jsonBody(ref(Refusal), { [code]: { error: { code, message } } }),
  })
  const again = { 'Retry-After': header('In seconds.', { type: 'string', const: '1' }) }
  return {
    400: refused(
      'A parameter that does not fit.',
      'invalid_request',
      `last: expected a whole number from 1 to ${mostHistoryMessages}`,
    ),
    404: refused(
      'The views have nothing of this chat, or it was erased.',
      'invalid_request',
      'path: expected a chat that the views have',
    ),
    405: refused('Another method than GET.', 'invalid_request', 'method: expected GET', allow('GET')),
    425: refused(
      'The views do not have the event `after` yet.',
      'temporarily_unavailable',
      'after: the views do not have this event yet, ask again',
      again,
    ),
    503: refused(
      'MongoDB cannot be read now.',
      'temporarily_unavailable',
      'the history cannot be read now, ask again',
      again,
    ),
  }
}

/** What was said in a chat, for the bots of its account. */
export const historyPath = (ref: Ref): JsonObject => ({
  parameters: [
    inPath('accountId', 'The id of an account with `bot.historyToken`.'),
    inPath('chatId', 'The id of the chat.'),
  ],
  get: {
    operationId: 'readHistory',
    tags: ['Bots'],
    summary: 'The newest messages of a chat',
    description:
      'What the client wrote, what was delivered of the bot, and when an agent had the chat. What was erased is not there.',
    security: [{ historyToken: [] }],
    parameters: [
      inQuery('last', 'How many messages, at most.', {
        type: 'integer',
        minimum: 1,
        maximum: mostHistoryMessages,
        default: 20,
      }),
      inQuery(
        'after',
        'The ce_id of an event of the chat: the answer waits until the views have it, a second at most.',
        {
          type: 'string',
          minLength: 1,
          maxLength: 255,
        },
      ),
    ],
    responses: {
      200: {
        description: 'The messages, oldest first.',
        headers: { 'Cache-Control': constant('no-store') },
        content: jsonBody(ref(History), { said }),
      },
      401: {
        description:
          'The header is missing, or it is not a history token of this account, or there is no such account.',
        headers: challenge('`Bearer`.'),
        content: jsonBody(ref(Refusal), {
          unauthorized_client: {
            error: {
              code: 'unauthorized_client',
              message: 'Authorization: expected Bearer and the history token of the account in the path',
            },
          },
        }),
      },
      ...refusals([429, 431, 500], plain, ref),
      ...ofHistory(ref),
    },
  },
})

const page = (operationId: string, summary: string, responses: JsonObject, ref: Ref): JsonObject => ({
  get: {
    operationId,
    tags: ['Operation'],
    summary,
    security: [],
    responses: { ...responses, ...otherMethodsRefused(ref) },
  },
})

const word = (description: string, text: string): JsonObject => ({
  description,
  content: { 'text/plain': { schema: { type: 'string', const: text } } },
})

/** Liveness and readiness in one word; the operators' port has reasons. */
export const healthPaths = (ref: Ref): JsonObject => ({
  '/livez': page('liveness', 'Whether the process runs', { 200: word('It runs.', 'alive') }, ref),
  '/readyz': page(
    'readiness',
    'Whether requests can be served',
    {
      200: word('They can be served.', 'ready'),
      503: word("They cannot be served. The operators' port shows the reasons.", 'unready'),
    },
    ref,
  ),
})
