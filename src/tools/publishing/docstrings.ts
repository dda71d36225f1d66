import { dirname, join } from 'node:path'

const docstring = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export const (\w+)/g

const paragraphs = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trim())
    .join('\n')
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' '))
    .join('\n\n')

/** The docstrings of a source file, by the names of the constants. Each is directly above its `export const`. */
export const docstringsOf = (source: string): ReadonlyMap<string, string> =>
  new Map([...source.matchAll(docstring)].map(([, comment = '', name = '']) => [name, paragraphs(comment)]))

/** The descriptions of fields, by their paths in a codec: `message`, `lastMessage.at`. */
export type FieldDocs = ReadonlyMap<string, string>

/** A constant of a source file: the descriptions of its fields, and the names that it uses, each with its path. */
export type Constant = { readonly docs: FieldDocs; readonly uses: ReadonlyArray<readonly [name: string, path: string]> }

const statement = /^(?:export )?const (\w+)[\s\S]*?(?=^(?:export|const|type|import|\/\*\*|\/\/)|(?![\s\S]))/gm
const token =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/|\/\/.*|'((?:[^'\\]|\\.)*)'|`[^`]*`|\[(\w+)\.(\w+)\](?=\s*:)|([\w$]+)|[^\s]/g

const opening = new Set(['{', '(', '['])
const closing = new Set(['}', ')', ']'])

/** An open bracket. `field` is the name of the current field, which only objects have. */
type Level = { readonly isObject: boolean; field?: string | undefined }

/**
 * The path of the current field. `required` and `optional` only separate the parts of a codec, so they are left out.
 */
const pathOf = (levels: ReadonlyArray<Level>) =>
  levels
    .flatMap(({ field }) => (field === undefined ? [] : [field]))
    .join('.')
    .replace(/^(required|optional)(\.|$)/, '')

const constantOf = (text: string, literalOf: (object: string, key: string) => string | undefined): Constant => {
  const docs = new Map<string, string>()
  const uses: Array<readonly [string, string]> = []
  const levels: Level[] = []
  let said: string | undefined
  for (const found of text.matchAll(token)) {
    const [whole, comment, quoted, object = '', key = '', word] = found
    const level = levels.at(-1)
    const after = text.slice(found.index + whole.length).match(/^\s*(.)/)?.[1] ?? ''
    const name = quoted ?? word ?? (object === '' ? undefined : literalOf(object, key))
    if (comment !== undefined) said = paragraphs(comment)
    else if (opening.has(whole)) levels.push({ isObject: whole === '{' })
    else if (closing.has(whole)) levels.pop()
    else if (whole === ',' && level) level.field = undefined
    else if (level?.isObject && name !== undefined && (after === ':' || (said !== undefined && /[,}]/.test(after)))) {
      level.field = name
      if (said !== undefined) docs.set(pathOf(levels), said)
      if (after !== ':') uses.push([name, pathOf(levels)])
      said = undefined
    } else if (word !== undefined) uses.push([word, pathOf(levels)])
  }
  return { docs, uses }
}

const literal = /(\w+): '([^']*)'/g

/**
 * The docstrings of fields, each directly above its field, by the constants of a source file. A key `[names.topic]` is
 * replaced by the text that the constant `names` of one of `others` has for it.
 */
const constantsOf = (source: string, others: ReadonlyArray<string>): ReadonlyMap<string, Constant> => {
  const literalOf = (object: string, key: string) =>
    others
      .flatMap((other) => [...other.matchAll(statement)])
      .filter(([, name]) => name === object)
      .flatMap(([text]) => [...text.matchAll(literal)])
      .find(([, name]) => name === key)?.[2]
  return new Map([...source.matchAll(statement)].map(([text, name = '']) => [name, constantOf(text, literalOf)]))
}

export type DocsOf = (file: string, name: string) => FieldDocs

const imported = /^import \{([^}]*)\} from '(\.[^']*)'/gm

/** The file from which each name of a file comes: the file itself, or one that it imports. */
const homesOf = (file: string, source: string, own: Iterable<string>): ReadonlyMap<string, string> =>
  new Map([
    ...[...source.matchAll(imported)].flatMap(([, names = '', from = '']) =>
      names.split(',').map((name) => [name.trim(), join(dirname(file), from)] as const),
    ),
    ...[...own].map((name) => [name, file] as const),
  ])

/**
 * The field descriptions of a constant of a file: its own descriptions, then those of the constants that it uses, from
 * any of the files. The sources are given by their paths. Pure.
 */
export const fieldDocs = (sources: ReadonlyMap<string, string>): DocsOf => {
  const texts = [...sources.values()]
  const known = new Map(
    [...sources].map(([file, source]) => {
      const constants = constantsOf(source, texts)
      return [file, { constants, homes: homesOf(file, source, constants.keys()) }]
    }),
  )
  const found = new Map<string, FieldDocs>()
  const docsOf: DocsOf = (file, name) => {
    const place = `${file} ${name}`
    const before = found.get(place)
    const { constants, homes } = known.get(file) ?? {}
    const constant = constants?.get(name)
    if (before !== undefined || constant === undefined) return before ?? new Map()
    found.set(place, constant.docs)
    const inner = constant.uses.flatMap(([used, at]) =>
      [...docsOf(homes?.get(used) ?? '', used)].map(
        ([path, text]) => [[at, path].filter(Boolean).join('.'), text] as const,
      ),
    )
    const all = new Map([...inner, ...constant.docs])
    found.set(place, all)
    return all
  }
  return docsOf
}
