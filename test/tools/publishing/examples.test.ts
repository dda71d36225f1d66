import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { botEventForms, webhookForms } from '../../../contracts/wire-forms.ts'
import { published } from '../../../src/tools/publishing/catalogue.ts'
import { schemaDocument } from '../../../src/tools/publishing/schemas.ts'
import { checkedIn, partOf } from './current.ts'
import { validatorOf } from './validators.ts'

const contracts = fileURLToPath(new URL('../../../contracts', import.meta.url))
const validators = new Map(published.map((entry) => [entry.name, validatorOf(schemaDocument(entry, partOf))]))
const codecs = new Map(published.map(({ name, codec }) => [name, codec]))

/** The verdicts of the schema and of the codec with this name. */
const verdicts = (name: string, value: unknown) => ({
  schema: validators.get(name)?.(value),
  codec: E.isRight(codecs.get(name)?.decode(value) ?? E.left(undefined)),
})

type Message = {
  readonly headers?: { readonly $ref?: string; readonly allOf?: ReadonlyArray<{ readonly $ref?: string }> }
  readonly payload: { readonly $ref?: string }
  readonly examples?: ReadonlyArray<{ readonly headers?: unknown; readonly payload: unknown }>
}
const messages: Readonly<Record<string, Message>> = parse(checkedIn['asyncapi.yaml'] ?? '').components.messages
/** The document names an event without its schema version. */
const nameOf = (ref: string | undefined) => {
  const name = ref && basename(ref)
  return published.findLast((entry) => entry.name === name || entry.name.startsWith(`${name}.v`))?.name
}

const samplesOf = (api: string) =>
  globSync('**/*.json', { cwd: join(contracts, api, 'samples') }).flatMap((file) => {
    try {
      const value: unknown = JSON.parse(readFileSync(join(contracts, api, 'samples', file), 'utf8'))
      return [{ file, value }]
    } catch {
      return []
    }
  })

const examples = suite('examples')

for (const [name, { headers, payload, examples: given = [] }] of Object.entries(messages))
  examples(`the examples of ${name} match its schemas and codecs`, () => {
    const schemaOfHeaders = nameOf(headers?.$ref ?? headers?.allOf?.[0]?.$ref)
    const schemaOfPayload = nameOf(payload.$ref)
    for (const example of given) {
      if (schemaOfPayload) assert.equal(verdicts(schemaOfPayload, example.payload), { schema: true, codec: true })
      if (schemaOfHeaders) assert.equal(verdicts(schemaOfHeaders, example.headers), { schema: true, codec: true })
    }
  })

const interfaces: Readonly<Record<string, Readonly<Record<string, t.Mixed>>>> = {
  webhooks: Object.fromEntries(webhookForms.map(({ name, codec }) => [name, codec])),
  'bot-api': Object.fromEntries(botEventForms.map(({ name, codec }) => [name, codec])),
}

for (const [api, events] of Object.entries(interfaces))
  examples(`every sample of contracts/${api} is accepted by a schema if the codec accepts it`, () => {
    const samples = samplesOf(api)
    assert.ok(samples.length > 10)
    for (const { file, value } of samples)
      for (const name of Object.keys(events)) {
        const { schema, codec } = verdicts(name, value)
        assert.is(schema, codec, `${file} as ${name}`)
      }
  })

examples.run()
