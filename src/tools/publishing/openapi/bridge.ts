import * as http from '../../../../contracts/http.ts'
import { WebhookReply } from '../../../../contracts/webhooks/reply.ts'
import { botEventForms, webhookForms } from '../../../../contracts/wire-forms.ts'
import { isJsonObject } from '../../../bridge/shared/json.ts'
import { leavesOfOpenApi } from '../codecs.ts'
import { compile, type PartOf } from '../json-schema.ts'
import { about, type Json, type JsonObject } from '../schema.ts'
import { header, place, refs, styleOf } from './parts.ts'
import { botPath, healthPaths, historyPath, oauthPath, webhooksPath } from './paths.ts'

/** The HTTP server sends these responses before it has read a request, so they have no request id. */
const early = new Set(['408', '431'])

const requestId = (status: string) =>
  header(
    "The request's id in the logs: its own X-Request-Id if that is one word of 1 to 128 plain characters, otherwise a new one.",
    { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
    !early.has(status),
  )

const withHeader = (operation: Json): Json => {
  if (!isJsonObject(operation) || !isJsonObject(operation.responses)) return operation
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    if (!isJsonObject(response)) return [status, response]
    const headers = isJsonObject(response.headers) ? response.headers : {}
    const { description = '', ...rest } = response
    return [status, { description, ...rest, headers: { ...headers, 'X-Request-Id': requestId(status) } }]
  })
  return { ...operation, responses: Object.fromEntries(responses) }
}

/** The paths, with the header that each of their responses has. */
const withRequestId = (paths: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      isJsonObject(item)
        ? Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withHeader(operation)]))
        : item,
    ]),
  )

const description =
  'Requests of the live-chat service to the bridge, and health checks for operators. Requests that are not HTTP are answered 400 before any of the operations below.'

const securitySchemes: JsonObject = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of /oauth/token. Only accounts with `authorization` need one.',
  },
  bareAccessToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The same token without the word Bearer (protocol, Authentication).',
  },
  historyToken: {
    type: 'http',
    scheme: 'bearer',
    description: '`bot.historyToken` or `bot.secondHistoryToken` of the account in the path.',
  },
  clientCredentials: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, each form-encoded.' },
}

/** OpenAPI 3.1 of the bridge's own HTTP interface. */
export const bridgeOpenapi = (partOf: PartOf): JsonObject => {
  const ref = refs(partOf)
  const codecs = [
    ...[...webhookForms, ...botEventForms].map(({ codec }) => codec),
    WebhookReply,
    ...Object.values(http),
  ]
  return {
    openapi: '3.1.0',
    info: {
      ...about('Live-chat bridge: HTTP', description),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: 'http://{host}:{port}',
        description: 'HTTP_HOST and HTTP_PORT of the bridge.',
        variables: { host: { default: '127.0.0.1' }, port: { default: '8080' } },
      },
    ],
    tags: [
      { name: 'Interface A', description: 'Webhooks: visitor activity.' },
      { name: 'Interface B', description: 'The exchange between the service and bots.' },
      { name: 'Bots', description: 'What bot logic reads of its chats.' },
      { name: 'Operation', description: 'Health.' },
    ],
    paths: withRequestId({
      '/webhooks/{token}': webhooksPath(ref),
      '/bot/{token}': botPath(ref),
      '/oauth/token': oauthPath(ref),
      '/history/{accountId}/{chatId}': historyPath(ref),
      ...healthPaths(ref),
    }),
    components: {
      securitySchemes,
      schemas: compile(codecs, partOf, place, styleOf(leavesOfOpenApi)).definitions,
    },
  }
}
