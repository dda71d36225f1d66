import type * as t from 'io-ts'
import { Refusal } from '../../../contracts/http.ts'
import { accessTable, type ConsoleRoute } from '../../console/access-table.ts'
import { leavesOfOpenApi } from '../codecs.ts'
import { compile, type PartOf } from '../json-schema.ts'
import { about, type JsonObject, type Schema } from '../schema.ts'
import { consoleRoutes } from './console-routes.ts'
import { header, plain, refs, refusal, place as schemas, styleOf } from './parts.ts'

const queryDocs: Readonly<Record<string, string>> = {
  state: '`open` or `over`.',
  waiting: '`true`: only where a client waits.',
  outcome: 'How it ended.',
  kind: 'Of conversations `agent` or `bot`; of drift the kind of difference.',
  agent: 'The id of an agent.',
  widget: 'The id of a widget.',
  day: 'In the time zone of the account.',
  failed: '`true`: only where a reply failed.',
  id: 'Of conversations the id of a chat or a client; of statistics that of an agent, a widget or a bot.',
  cursor: '`next` of the answer before.',
  before: '`earlier` of the answer before.',
  limit: 'At most so many rows.',
  from: 'The first day.',
  to: 'The last day.',
  by: '`day`, `agent`, `widget` or `bot`.',
  cause: 'A cause as the groups have it.',
  topic: 'A topic as the groups have it.',
  since: 'RFC 3339.',
  until: 'RFC 3339.',
  action: 'A kind of action.',
}

const parameter = (place: 'path' | 'query', name: string, description: string | undefined): JsonObject => {
  if (description === undefined) throw new Error(`the parameter ${name} of the console's API has no description`)
  return { name, in: place, required: place === 'path', description, schema: { type: 'string' } }
}
const pathDocs: Readonly<Record<string, string>> = { account: 'The id of an account.', chat: 'The id of a chat.' }

/** `POST /api/accounts/:account/person/export` → `postAccountsPersonExport`. */
const operationIdOf = (route: ConsoleRoute): string =>
  route
    .replace(/:\w+|\/api/g, '')
    .toLowerCase()
    .replace(/[^a-z]+(.)/g, (_, letter: string) => letter.toUpperCase())
    .concat(route.endsWith(':chat') ? 'One' : '')

const cases = {
  400: ['A field is wrong.', 'invalid_request', 'limit: expected a number from 1 to 200'],
  401: ['Nobody is signed in.', 'unauthorized_client', 'session: expected a signed-in user'],
  403: [
    'Your roles do not allow this, or the request is not from a page of the console.',
    'invalid_client',
    'role: your roles do not allow this',
  ],
  404: [
    'Unknown, or your roles do not include the account.',
    'invalid_request',
    'account: expected one that you may see',
  ],
  503: ['A server behind the console does not answer.', 'temporarily_unavailable', 'MongoDB does not answer'],
} as const

const nameOf = (status: string) => `Refused${status}`
const refusals: JsonObject = Object.fromEntries(
  Object.keys(cases).map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
)

const schemaOf = (codec: t.Mixed, partOf: PartOf): Schema => {
  const [schema = {}] = compile([codec], partOf, schemas, styleOf(leavesOfOpenApi)).schemas
  return schema
}

const operation = (route: ConsoleRoute, partOf: PartOf): JsonObject => {
  const { summary, answer, media = 'application/json', body, query } = consoleRoutes[route]
  const isPost = route.startsWith('POST')
  const schema: Schema = answer === undefined ? { type: 'string' } : schemaOf(answer, partOf)
  const sent: Schema = body === undefined ? { type: 'object' } : schemaOf(body, partOf)
  return {
    operationId: operationIdOf(route),
    tags: ['Console'],
    summary,
    description: `For ${accessTable[route].join(', ')}.`,
    security: [isPost ? { session: [], csrf: [] } : { session: [] }],
    ...(query && {
      parameters: Object.keys(query.props).map((name) => parameter('query', name, queryDocs[name])),
    }),
    ...(isPost && { requestBody: { required: true, content: { 'application/json': { schema: sent } } } }),
    responses: {
      200: {
        description: 'Done.',
        headers: { 'X-Request-Id': header("The request's id in the logs.", { type: 'string' }) },
        content: { [media]: { schema } },
      },
      ...refusals,
    },
  }
}

/** OpenAPI 3.1 of the console's own API, below CONSOLE_BASE_PATH on the operators' port. */
export const consoleOpenapi = (partOf: PartOf): JsonObject => {
  const all = Object.keys(accessTable) as ReadonlyArray<ConsoleRoute>
  const codecs = all
    .flatMap((route) => [consoleRoutes[route].answer, consoleRoutes[route].body])
    .filter((codec) => codec !== undefined)
  return {
    openapi: '3.1.0',
    info: {
      ...about(
        'Live-chat bridge: console',
        "What the console's pages ask. It changes with them, and no program should rely on it: read the views and topics instead.",
      ),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: 'http://{host}:{port}/console',
        description: "The operators' port, and CONSOLE_BASE_PATH.",
        variables: { host: { default: '127.0.0.1' }, port: { default: '8081' } },
      },
    ],
    tags: [{ name: 'Console', description: 'What the pages show and do.' }],
    paths: Object.fromEntries(
      all.map((route) => {
        const [method = '', path = ''] = route.split(' ')
        const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
        return [
          path.replace(/:(\w+)/g, '{$1}'),
          {
            ...(names.length > 0 && { parameters: names.map((name) => parameter('path', name, pathDocs[name])) }),
            [method.toLowerCase()]: operation(route, partOf),
          },
        ]
      }),
    ),
    components: {
      responses: Object.fromEntries(
        Object.entries(cases).map(([status, [description, code, message]]) => [
          nameOf(status),
          refusal({ description, code, message }, plain, refs(partOf)),
        ]),
      ),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'livechat_console', description: 'Of a sign-in.' },
        csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token', description: '`csrf` of /api/session.' },
      },
      schemas: compile([...codecs, Refusal], partOf, schemas, styleOf(leavesOfOpenApi)).definitions,
    },
  }
}
