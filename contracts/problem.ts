import * as t from 'io-ts'

/** What is wrong with a value: the path, and what was expected there. It never contains the value. */
export type Problem = { readonly path: string; readonly expected: string }

type Codec = t.Decoder<unknown, unknown>

/** The codec inside an exact codec. An exact codec validates as the codec that it contains, under its own name. */
const inner = (codec: Codec): Codec => (codec instanceof t.ExactType ? inner(codec.type) : codec)

const tagOf = (codec: Codec | undefined): string => {
  const found = codec && inner(codec)
  return found !== undefined && '_tag' in found ? String(found._tag) : ''
}

const alternatives = new Set(['UnionType', 'IntersectionType'])
const objects = new Set(['InterfaceType', 'PartialType', 'IntersectionType', 'StrictType'])

const words: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  Int: 'a whole number',
  boolean: 'true or false',
  UnknownRecord: 'an object',
}

const expectedOf = (codec: Codec): string => {
  const tag = tagOf(codec)
  if (tag === 'ArrayType') return 'an array'
  return objects.has(tag) ? 'an object' : (words[codec.name] ?? codec.name)
}

/**
 * The names and indexes that lead to what is wrong, without the numbers of alternatives. `t.never` is the type of a
 * field that a closed object does not have.
 */
export const placeOf = ({ context }: t.ValidationError): ReadonlyArray<string> =>
  context
    .filter(({ key, type }, i) => key !== '' && (type === t.never || !alternatives.has(tagOf(context[i - 1]?.type))))
    .map(({ key }) => key)

/** The problems in io-ts errors, one for each path. Alternatives of one path are joined by 'or'. */
export const problemsOf = (errors: t.Errors): ReadonlyArray<Problem> => {
  const byPath = new Map<string, Set<string>>()
  for (const error of errors) {
    const { context, message } = error
    const path = placeOf(error).join('.')
    const last = context[context.length - 1]
    const expected = message ?? (last === undefined ? 'another value' : expectedOf(last.type))
    byPath.set(path, (byPath.get(path) ?? new Set()).add(expected))
  }
  return [...byPath].map(([path, expected]) => ({ path, expected: [...expected].join(' or ') }))
}

const between = '; '
const behindPath = ': expected '

/** A path may be a key that the sender wrote. Escaped, it cannot look like another problem, or like what was expected. */
const escaped = (path: string): string => path.replace(/[:;](?= )/gu, encodeURIComponent)

/** `chat_id: expected an integer or text; page.url: expected text`. `whole` is the name of the whole value. */
export const describe = (problems: ReadonlyArray<Problem>, whole: 'body' | 'value' = 'body'): string =>
  problems.map(({ path, expected }) => `${path === '' ? whole : escaped(path)}${behindPath}${expected}`).join(between)

/** The problems in a text of `describe`. Paths stay escaped. What does not name an expectation, because the text was cut, is left out. */
export const problemsIn = (text: string): ReadonlyArray<Problem> =>
  text.split(between).flatMap((part) => {
    const at = part.indexOf(behindPath)
    if (at < 0) return []
    const path = part.slice(0, at)
    return [{ path: path === 'body' || path === 'value' ? '' : path, expected: part.slice(at + behindPath.length) }]
  })
