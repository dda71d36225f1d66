import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as t from 'io-ts'
import { botEventForms, webhookForms } from '../../../contracts/wire-forms.ts'
import { type DocsOf, docstringsOf, fieldDocs } from './docstrings.ts'
import type { Part, PartOf } from './json-schema.ts'

const contracts = fileURLToPath(new URL('../../../contracts/', import.meta.url))

/**
 * The codec whose field descriptions also apply to a part, such as an event for its wire form. By default its name is
 * that of the part without `Wire`.
 */
const counterparts: Readonly<Record<string, string>> = {
  WebhookReply: 'Enrichment',
}

/** The fields of a wire event that are not in its event's data. */
const ofWireEvents: Readonly<Record<string, string>> = {
  event_name: 'The name of the event.',
  event: 'The name of the event.',
  id: "The event's id. The service sends the same id when it sends the event again.",
}

/** The file of the fields that many events share. */
const common = 'events/fields.ts'

// The guides contain programs, and an import would run them.
const sources = new Map(
  globSync('**/*.ts', { cwd: contracts, exclude: ['guides/**'] })
    .sort()
    .map((file) => [file, readFileSync(join(contracts, file), 'utf8')]),
)

/** Other names for codecs that io-ts itself has. */
const isPlain = (codec: t.Mixed) => codec === t.string || codec === t.UnknownRecord

/** The types of messages, such as TEXT, are described with their union. */
const isInUnion = ({ name }: t.Mixed) => /^[A-Z]+$/.test(name)

const counterpartOf = (name: string): readonly [file: string, name: string] => {
  const counterpart = counterparts[name] ?? name.replace(/^Wire/, '').replace(/^Outbound.*/, 'Message')
  const [home = ''] = [...sources].find(([, source]) => source.includes(`export const ${counterpart} `)) ?? []
  return [home, counterpart]
}

const camelCase = (path: string) => path.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const partsOf = async (
  file: string,
  source: string,
  docsOf: DocsOf,
): Promise<ReadonlyArray<readonly [t.Mixed, Part]>> => {
  const module: Readonly<Record<string, unknown>> = await import(join(contracts, file))
  const docstrings = docstringsOf(source)
  return [...source.matchAll(/^export const (\w+)/gm)].flatMap(([, constant = '']) => {
    const codec = module[constant]
    if (!(codec instanceof t.Type) || isPlain(codec) || isInUnion(codec)) return []
    const description = docstrings.get(constant)
    if (description === undefined) throw new Error(`contracts/${file}: ${constant} has no docstring`)
    const name = constant
    const [own, theirs] = [docsOf(file, constant), docsOf(...counterpartOf(name))]
    // In views, fields of a chat or a client have the descriptions of the events.
    const everywhere = file.startsWith('views/')
      ? new Map([...docsOf(common, 'webhook'), ...docsOf(common, 'conversation')])
      : undefined
    const fieldDoc = (path: string) => own.get(path) ?? theirs.get(camelCase(path)) ?? everywhere?.get(path)
    return [[codec, { name, description, fieldDoc }]]
  })
}

/** The forms of events as the service sends them. Their fields have the descriptions of the events. */
const wireParts = (docsOf: DocsOf): ReadonlyArray<readonly [t.Mixed, Part]> =>
  [...webhookForms, ...botEventForms].map(({ name, codec, event }) => {
    const docs = docsOf(...counterpartOf(event.type))
    const fieldDoc = (path: string) => docs.get(camelCase(path)) ?? ofWireEvents[path]
    return [codec, { name, description: event.about, fieldDoc }]
  })

/**
 * Every codec that contracts/ exports, with its name there, its docstring and those of its fields. Throws if a codec
 * has no docstring, because the docstring is its published description.
 */
export const readContracts = async (): Promise<PartOf> => {
  const docsOf = fieldDocs(sources)
  const found = await Promise.all([...sources].map(([file, source]) => partsOf(file, source, docsOf)))
  const parts = new Map<t.Mixed, Part>([...found.flat(), ...wireParts(docsOf)])
  return (codec) => parts.get(codec)
}
