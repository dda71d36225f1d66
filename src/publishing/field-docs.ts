import { dirname, join } from 'node:path'
import { constantsOf, type FieldDocs } from './field-docstrings.ts'

export type DocsOf = (file: string, name: string) => FieldDocs

const imported = /^import \{([^}]*)\} from '(\.[^']*)'/gm

/** Where the names of a file come from: the file itself, or one that it imports. */
const homesOf = (file: string, source: string, own: Iterable<string>): ReadonlyMap<string, string> =>
  new Map([
    ...[...source.matchAll(imported)].flatMap(([, names = '', from = '']) =>
      names.split(',').map((name) => [name.trim(), join(dirname(file), from)] as const),
    ),
    ...[...own].map((name) => [name, file] as const),
  ])

/**
 * What is said of the fields of a constant of a file: by itself first, then by the constants that it is made with, in whichever of
 * the files they are. The sources are given by their paths. Pure.
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
