import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { percentDecoded } from '../../bridge/shared/text.ts'
import type { Json, JsonObject } from './schema.ts'

const withinMs = 15_000
const attempts = 3
const type = 'application/vnd.schemaregistry.v1+json'

/**
 * A schema of JSON Schema 2020-12 as draft-07, which registries and their clients read. It refers to nothing outside.
 */
export const asDraft07 = (schema: JsonObject): JsonObject => {
  const renamed = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(renamed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        if (name === '$schema') return [name, 'http://json-schema.org/draft-07/schema#']
        if (name === '$ref' && typeof part === 'string') return [name, part.replace(/^#\/\$defs\//, '#/definitions/')]
        return [name === '$defs' ? 'definitions' : name, renamed(part)]
      }),
    )
  }
  return renamed(schema) as JsonObject
}

/** The subject of a schema: of an event its `ce_type`, such as `livechat.ChatAccepted.v1`. */
const subjectOf = (name: string): string => `livechat.${name}`

type Registry = { readonly base: string; readonly headers: Readonly<Record<string, string>> }

const expected = 'the http:// or https:// URL of a schema registry'

/** The registry of a URL. Its user name and password are sent in a header and are never shown. */
export const registryOf = (text: string): E.Either<string, Registry> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    return E.left(expected)
  const credentials = [url.username, url.password].map(percentDecoded)
  if (credentials.includes(undefined)) return E.left(expected)
  const secret = credentials.join(':')
  return E.right({
    base: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    headers: {
      accept: `${type}, application/json`,
      'content-type': type,
      ...(secret !== ':' && { authorization: `Basic ${Buffer.from(secret).toString('base64')}` }),
    },
  })
}

const messageIn = (text: string): string => {
  try {
    const { message } = JSON.parse(text)
    return typeof message === 'string' ? `: ${message.slice(0, 300)}` : ''
  } catch {
    return ''
  }
}

/** The JSON that the registry answers. Left: why there is none. A failure of the registry itself is tried again. */
const ask = async (
  { base, headers }: Registry,
  method: 'PUT' | 'POST',
  path: string,
  body: object,
): Promise<E.Either<string, unknown>> => {
  let reason = ''
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (attempt > 1) await sleep(500 * attempt)
    try {
      const signal = AbortSignal.timeout(withinMs)
      const answer = await fetch(base + path, {
        method,
        headers,
        body: JSON.stringify(body),
        signal,
        redirect: 'manual',
      })
      const text = await answer.text()
      if (answer.ok) return E.right(JSON.parse(text))
      reason = `${path}: HTTP ${answer.status}${messageIn(text)}`
      if (answer.status < 500 && answer.status !== 429) return E.left(reason)
    } catch (error) {
      if (error instanceof SyntaxError) return E.left(`${path}: the answer is not JSON: is this a schema registry?`)
      const { name, cause } = error as Error
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : name
      reason = `${base} does not answer: ${code}`
    }
  }
  return E.left(reason)
}

/** A schema that the registry has. */
export type PublishEvent = { readonly subject: string; readonly id: number }

/**
 * Registers the schemas, each under its subject. The registry's own check of compatibility is switched off for these
 * subjects, because it refuses a new optional field: `contracts check` decides. A schema that is registered already
 * stays.
 */
export const publishTo = async (
  registry: Registry,
  schemas: ReadonlyArray<readonly [name: string, schema: JsonObject]>,
  say: (event: PublishEvent) => void,
): Promise<E.Either<string, number>> => {
  for (const [name, schema] of schemas) {
    const subject = subjectOf(name)
    const place = encodeURIComponent(subject)
    const config = await ask(registry, 'PUT', `/config/${place}`, { compatibility: 'NONE' })
    if (E.isLeft(config)) return config
    const body = { schemaType: 'JSON', schema: JSON.stringify(asDraft07(schema)) }
    const registered = await ask(registry, 'POST', `/subjects/${place}/versions`, body)
    if (E.isLeft(registered)) return registered
    const { id } = Object(registered.right)
    if (typeof id !== 'number') return E.left(`${subject}: the registry's answer has no id`)
    say({ subject, id })
  }
  return E.right(schemas.length)
}
