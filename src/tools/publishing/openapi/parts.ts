import type * as t from 'io-ts'
import { AccessTokenRefusal, Refusal, WebhookRefusal } from '../../../../contracts/http.ts'
import type { Leaves } from '../codecs.ts'
import type { PartOf, Style as SchemaStyle } from '../json-schema.ts'
import type { Json, JsonObject, Schema } from '../schema.ts'

const schemas = 'components/schemas'

/** A reference to the schema of an exported codec. */
export type Ref = (codec: t.Mixed) => Schema
export const refs =
  (partOf: PartOf): Ref =>
  (codec) => {
    const part = partOf(codec)
    if (part === undefined) throw new Error(`the codec ${codec.name} is not exported by contracts/`)
    return { $ref: `#/${schemas}/${part.name}` }
  }
export const place = schemas

/** The discriminator of OpenAPI. */
export const styleOf = (leaves: Leaves): SchemaStyle => ({
  leaves,
  discriminator: (field) => ({ discriminator: { propertyName: field } }),
})

export const anyOf = (codecs: ReadonlyArray<t.Mixed>, ref: Ref): ReadonlyArray<Schema> => codecs.map(ref)

/** Examples by their names. */
export const examples = (values: Readonly<Record<string, Json>>): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]))

export const jsonBody = (schema: Schema, values: Readonly<Record<string, Json>>): JsonObject => ({
  'application/json': { schema, examples: examples(values) },
})

export const header = (description: string, schema: Schema, required = true): JsonObject => ({
  description,
  required,
  schema,
})

const textSchema: Schema = { type: 'string' }
const secondsSchema: Schema = { type: 'integer', minimum: 1 }

/** The last part of a path: a secret that names the account. */
export const tokenParameter = (description: string): JsonObject => ({
  name: 'token',
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', minLength: 16, maxLength: 255 },
  example: 'at-least-16-characters',
})

type Case = {
  readonly description: string
  readonly code: string
  readonly message: string
  readonly headers?: JsonObject
}

export const allow = (methods: string) => ({
  Allow: header('The methods that are supported.', { type: 'string', const: methods }),
})
const retryAfter = { 'Retry-After': header('After how many seconds to send it again.', secondsSchema) }

/** The error table of the bridge's interface, by status; the messages are examples. */
export const errorTable = {
  400: {
    description: 'Not JSON, not an object, a wrong field, invalid UTF-8, nested too deep, or a repeated key.',
    code: 'invalid_request',
    message: 'chat_id: expected an integer or text; page.url: expected text',
  },
  401: {
    description: 'No account has the token in the path.',
    code: 'invalid_client',
    message: 'path: expected a token of an account',
  },
  404: {
    description: 'No such path.',
    code: 'invalid_request',
    message: 'unknown path',
  },
  405: {
    description: 'Another method than POST.',
    code: 'invalid_request',
    message: 'method: expected POST',
    headers: allow('POST'),
  },
  408: {
    description: 'The request arrived too slowly. The connection is closed.',
    code: 'invalid_request',
    message: 'the request did not arrive in time',
  },
  413: {
    description: 'The body is too large. The connection is closed.',
    code: 'invalid_request',
    message: 'body: expected at most 1048576 bytes',
  },
  415: {
    description:
      'No JSON and not declared as JSON either, or with a content encoding. A body that is JSON is JSON, whatever its `Content-Type` says.',
    code: 'invalid_request',
    message: 'Content-Type: expected application/json',
  },
  429: {
    description: 'Over the rate limit of the account.',
    code: 'invalid_request',
    message: 'expected fewer requests',
    headers: retryAfter,
  },
  431: {
    description: 'The headers are too large. The connection is closed.',
    code: 'invalid_request',
    message: 'the headers exceed 8 KiB',
  },
  500: {
    description: 'An error of the bridge itself.',
    code: 'server_error',
    message: 'the request could not be processed',
  },
  503: {
    description: 'The bridge cannot store events now: the event is not stored, or it is unknown whether it is.',
    code: 'temporarily_unavailable',
    message: 'the event could not be stored, send it again',
    headers: retryAfter,
  },
} as const satisfies Readonly<Record<number, Case>>

export type Status = keyof typeof errorTable

/** The form of an interface's error bodies. */
type Style = { readonly codec: t.Mixed; readonly body: (code: string, message: string) => JsonObject }

export const plain: Style = { codec: Refusal, body: (code, message) => ({ error: { code, message } }) }
export const ofWebhooks: Style = {
  codec: WebhookRefusal,
  body: (code, message) => ({ result: 'error', error: { code, message } }),
}
export const ofOauth: Style = {
  codec: AccessTokenRefusal,
  body: (code, message) => ({ error: code, error_description: message }),
}

const refusal = ({ description, code, message, headers }: Case, { codec, body }: Style, ref: Ref): JsonObject => ({
  description,
  ...(headers && { headers }),
  content: jsonBody(ref(codec), { [code]: body(code, message) }),
})

/** Responses with these statuses. Those of the HTTP server itself and of unknown paths are of no interface: plain. */
export const refusals = (statuses: ReadonlyArray<Status>, style: Style, ref: Ref): JsonObject =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      refusal(errorTable[status], [404, 408, 431].includes(status) ? plain : style, ref),
    ]),
  )

/** A GET endpoint refuses other methods. */
export const otherMethodsRefused = (ref: Ref): JsonObject => ({
  405: refusal(
    {
      ...errorTable[405],
      description: 'A method other than GET and HEAD.',
      message: 'method: expected GET, HEAD',
      headers: allow('GET, HEAD'),
    },
    plain,
    ref,
  ),
})

export const challenge = (description: string): JsonObject => ({
  'WWW-Authenticate': header(description, textSchema, false),
})
