import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as t from 'io-ts'
import { docstringsOf } from './docstrings.ts'
import type { Part, PartOf } from './json-schema.ts'

const contracts = fileURLToPath(new URL('../../contracts/', import.meta.url))

/** Two exports of one name: the messages of Interface B, and a leaf of both interfaces. */
const otherNames: Readonly<Record<string, string>> = {
  'bot-api/message.ts WireText': 'WireTextMessage',
  'bot-api/message.ts WireMarkdown': 'WireMarkdownMessage',
  'bot-api/message.ts WireButtons': 'WireButtonsMessage',
}

const partsOf = async (file: string): Promise<ReadonlyArray<readonly [t.Mixed, Part]>> => {
  const module: Readonly<Record<string, unknown>> = await import(join(contracts, file))
  const source = readFileSync(join(contracts, file), 'utf8')
  const docstrings = docstringsOf(source)
  return [...source.matchAll(/^export const (\w+)/gm)].flatMap(([, name = '']) => {
    const codec = module[name]
    if (!(codec instanceof t.Type)) return []
    const description = docstrings.get(name)
    if (description === undefined) throw new Error(`contracts/${file}: ${name} has no docstring`)
    return [[codec, { name: otherNames[`${file} ${name}`] ?? name, description }]]
  })
}

/**
 * Every codec that contracts/ exports, with its name there and its docstring. Throws where one has none: what is published
 * is described by it.
 */
export const readContracts = async (): Promise<PartOf> => {
  // The guides hold programs, which would run.
  const files = globSync('**/*.ts', { cwd: contracts, exclude: ['guides/**'] }).sort()
  const parts = new Map<t.Mixed, Part>((await Promise.all(files.map(partsOf))).flat())
  return (codec) => parts.get(codec)
}
