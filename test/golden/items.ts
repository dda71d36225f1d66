import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

/** What the replay gives: documents, records, answers and requests, by stable names. The values are plain JSON. */
export type Items = ReadonlyMap<string, unknown>

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const hashesFile = pathOf('hashes.txt')
const valuesFile = 'expected.jsonl.br'

/** The lines of a compressed file of this folder. */
export const readLines = (name: string): ReadonlyArray<unknown> =>
  brotliDecompressSync(readFileSync(pathOf(name)))
    .toString()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))

export const writeLines = (name: string, lines: ReadonlyArray<unknown>): void =>
  writeFileSync(pathOf(name), brotliCompressSync(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))

/** The values as JSON has them, where a date is text. */
export const asJson = (items: Items): Items => new Map(JSON.parse(JSON.stringify([...items])))

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : a > b ? 1 : 0)

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)

const hashesOf = (items: Items): string =>
  [...items]
    .sort(byName)
    .map(([name, value]) => `${hashOf(value)} ${name}\n`)
    .join('')

/** The items of the last update. Throws if somebody has changed one of the two files alone. */
export const expectedItems = (): Items => {
  if (!existsSync(hashesFile)) return new Map()
  const items = new Map(readLines(valuesFile) as ReadonlyArray<[string, unknown]>)
  if (hashesOf(items) !== readFileSync(hashesFile, 'utf8'))
    throw new Error('hashes.txt and expected.jsonl.br are not of one update')
  return items
}

export const writeExpected = (items: Items): void => {
  writeFileSync(hashesFile, hashesOf(items))
  writeLines(valuesFile, [...items].sort(byName))
}

const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)} …` : text
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Texts of bodies and values are JSON too. Their fields are compared, unless only their bytes differ. */
const inner = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^[{[]/.test(value)) return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

const differencesAt = (path: string, expected: unknown, actual: unknown): ReadonlyArray<string> => {
  if (JSON.stringify(expected) === JSON.stringify(actual)) return []
  if (isObject(expected) && isObject(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    const found = names.flatMap((name) =>
      differencesAt(path === '' ? name : `${path}.${name}`, expected[name], actual[name]),
    )
    return found.length > 0
      ? found
      : [`${path}: the order of the fields: expected ${Object.keys(expected)}, actual ${Object.keys(actual)}`]
  }
  const [from, to] = [inner(expected), inner(actual)]
  if (from !== undefined && to !== undefined) {
    const found = differencesAt(path, from, to)
    if (found.length > 0) return found
  }
  return [`${path || 'value'}: expected ${shown(expected)}, actual ${shown(actual)}`]
}

const mostLines = 8

/** Records and requests first: documents and answers follow from them. */
const rank = (name: string): number => (/^\w+: (?:record|request)/.test(name) ? 0 : 1)

/** What differs, in words: each item by its name, and in it the path of each field. */
export const differences = (expected: Items, actual: Items): ReadonlyArray<string> => {
  const all = new Map([...expected, ...actual])
  const sorted = [...all].sort((a, b) => rank(a[0]) - rank(b[0]) || byName(a, b))
  return sorted.flatMap(([name]) => {
    if (!actual.has(name)) return [`${name}: is missing: expected ${shown(expected.get(name))}`]
    if (!expected.has(name)) return [`${name}: is new: ${shown(actual.get(name))}`]
    const found = differencesAt('', expected.get(name), actual.get(name))
    const more = found.length - mostLines
    return [...found.slice(0, mostLines), ...(more > 0 ? [`and ${more} more fields`] : [])].map(
      (each) => `${name}: ${each}`,
    )
  })
}
