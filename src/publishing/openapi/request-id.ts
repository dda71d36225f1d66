import type { Json, JsonObject } from '../schema.ts'
import { header } from './parts.ts'

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What the HTTP server answers itself, before a request has been read, has none. */
const early = new Set(['408', '431'])

const requestId = (status: string) =>
  header(
    "The request's id in the logs: what it had in its own X-Request-Id, if that was one word of 1 to 128 plain characters, or a new one.",
    { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
    !early.has(status),
  )

const withHeader = (operation: Json): Json => {
  if (!isObject(operation) || !isObject(operation.responses)) return operation
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    if (!isObject(response)) return [status, response]
    const headers = isObject(response.headers) ? response.headers : {}
    const { description = '', ...rest } = response
    return [status, { description, ...rest, headers: { ...headers, 'X-Request-Id': requestId(status) } }]
  })
  return { ...operation, responses: Object.fromEntries(responses) }
}

/** The paths with the header that every answer of theirs has. */
export const withRequestId = (paths: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      isObject(item)
        ? Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withHeader(operation)]))
        : item,
    ]),
  )
