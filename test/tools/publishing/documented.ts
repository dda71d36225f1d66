import { parse } from 'yaml'
import type { Schema } from '../../../src/tools/publishing/schema.ts'
import type { Reply } from '../../bridge/ingress/harness.ts'
import { checkedIn } from './current.ts'
import { validatorOf } from './validators.ts'

type Response = {
  readonly headers?: Readonly<Record<string, { readonly required: boolean; readonly schema: Schema }>>
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}
type Operation = { readonly description?: string; readonly responses: Readonly<Record<string, Response>> }
type Document = {
  readonly paths: Readonly<Record<string, { readonly post?: Operation; readonly get?: Operation }>>
  readonly components: { readonly schemas: Schema }
}

const { paths, components }: Document = parse(checkedIn['openapi.yaml'] ?? '')

const operationOf = (path: string): Operation | undefined => paths[path]?.post ?? paths[path]?.get

/** The documented statuses of an operation. */
export const statusesOf = (path: string): ReadonlyArray<number> =>
  Object.keys(operationOf(path)?.responses ?? {}).map(Number)
/** What an operation says of itself. */
export const descriptionOf = (path: string): string => operationOf(path)?.description ?? ''
export const documentedPaths = Object.keys(paths)

const compiled = new WeakMap<Schema, ReturnType<typeof validatorOf>>()

const validator = (schema: Schema) => {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll('#/components/schemas/', '#/$defs/')
  const made = validatorOf(JSON.parse(text))
  compiled.set(schema, made)
  return made
}

/** The parts of an answer that differ from the documentation: its status, a header, its media type or its body. */
export const surprises = (path: string, { status, headers, body, text }: Reply): ReadonlyArray<string> => {
  const response = operationOf(path)?.responses[status]
  if (response === undefined) return [`status ${status}`]
  const mediaType = String(headers['content-type']).split(';')[0] ?? ''
  const schema = response.content?.[mediaType]?.schema
  if (schema === undefined) return [`media type ${mediaType}`]
  const accepts = validator(schema)
  const value = mediaType === 'application/json' ? body : text
  return [
    ...Object.entries(response.headers ?? {}).flatMap(([name, { required, schema: expected }]) => {
      const sent = headers[name.toLowerCase()]
      if (sent === undefined) return required ? [`no ${name}`] : []
      return validator(expected)(expected.type === 'integer' ? Number(sent) : sent) ? [] : [`${name}: ${sent}`]
    }),
    ...(accepts(value) ? [] : [`body: ${JSON.stringify(accepts.errors)}`]),
  ]
}
