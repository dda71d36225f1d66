import { ErrorBody } from '../../../../contracts/bot-api/error.ts'
import { BotMessageRequest, InviteAgentRequest } from '../../../../contracts/bot-api/outbound.ts'
import { leaves } from '../codecs.ts'
import { compile, type PartOf } from '../json-schema.ts'
import type { JsonObject } from '../schema.ts'
import { about } from '../schema.ts'
import { anyOf, jsonBody, place, type Ref, refs, styleOf, tokenParameter } from './parts.ts'

const codecs = [BotMessageRequest, InviteAgentRequest]

/** The protocol's statuses (protocol, Errors), each with its error code. */
const errors: ReadonlyArray<readonly [number, string, string]> = [
  [400, 'Invalid request format: the fields must match the API format.', 'invalid_request'],
  [401, 'Authorization error.', 'unauthorized_client'],
  [403, 'Access denied.', 'invalid_client'],
  [404, 'The endpoint is malformed.', 'invalid_request'],
  [405, 'This method or event is not supported.', 'invalid_request'],
  [429, 'Request limit exceeded.', 'invalid_request'],
  [500, 'Error while processing the request.', 'server_error'],
  [502, 'The server is overloaded.', 'server_error'],
  [503, 'The server is unavailable.', 'server_error'],
  [504, 'The request failed to execute.', 'server_error'],
]

const exchange = { id: 'r-1', client_id: '1233', chat_id: '2037' }
const requests = {
  BOT_MESSAGE: {
    event: 'BOT_MESSAGE',
    ...exchange,
    message: { type: 'TEXT', text: 'Hello', timestamp: 1665415880 },
  },
  INVITE_AGENT: { event: 'INVITE_AGENT', ...exchange },
}

const post = (operationId: string, summary: string, security: ReadonlyArray<JsonObject>, ref: Ref): JsonObject => ({
  operationId,
  tags: ['Interface B'],
  summary,
  description:
    'The service has at least 3 s to answer. The protocol does not describe the body of a 200, but it may contain `error`.',
  security,
  requestBody: { required: true, content: jsonBody({ anyOf: anyOf(codecs, ref) }, requests) },
  responses: Object.fromEntries([
    [200, { description: 'The service accepted the event. Whether the client saw it is not known.' }],
    ...errors.map(([status, description, code]) => [
      status,
      { description, content: jsonBody(ref(ErrorBody), { [code]: { error: { code, message: description } } }) },
    ]),
  ]),
})

const parameters = [
  {
    name: 'providerId',
    in: 'path',
    required: true,
    description: 'The identifier that the operator of the service issued to the provider of the bot.',
    schema: { type: 'string' },
    example: 'prov1',
  },
  tokenParameter('The token that the provider generated; it names the customer account.'),
]

/** OpenAPI 3.1 of what the bridge calls: the service's side of Interface B (protocol, Endpoints). */
export const serviceOpenapi = (partOf: PartOf): JsonObject => {
  const ref = refs(partOf)
  return {
    openapi: '3.1.0',
    info: {
      ...about(
        'Live-chat service: bot exchange',
        'What the bridge sends to the service for a bot. The service publishes no OpenAPI document: this one describes what the bridge relies on.',
      ),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '{baseUrl}', variables: { baseUrl: { default: 'https://bot.service.test' } } }],
    tags: [{ name: 'Interface B', description: 'The exchange between the service and bots.' }],
    paths: {
      '/webhooks/{providerId}/{token}': {
        parameters,
        post: post('sendToService', 'A reply, or the hand-over to an agent', [], ref),
      },
      '/providers/{providerId}/{token}': {
        parameters,
        post: post('sendToServiceAuthorized', 'The same, with an access token', [{ accessToken: [] }], ref),
      },
    },
    components: {
      securitySchemes: {
        accessToken: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The access token as it is, for accounts with `authorization`.',
        },
      },
      schemas: compile([...codecs, ErrorBody], partOf, place, styleOf(leaves)).definitions,
    },
  }
}
