import { isJsonObject } from '../../bridge/shared/json.ts'

/** One line of indented JSON, with the problems at its place. */
export type JsonLine = {
  readonly indent: number
  readonly text: string
  readonly problems: ReadonlyArray<string>
}

type Problem = { readonly path: string; readonly expected: string }

/** `/agents/0/id`, `agents[0].id` and `agents.0.id` are the same place. */
const partsOf = (path: string): ReadonlyArray<string> =>
  path.split(/[./[\]]+/).filter((part) => part !== '' && part !== '$')

const childOf = (value: unknown, part: string): unknown => {
  if (Array.isArray(value)) return value[Number(part)]
  return isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
}

/** The place of a problem, or its nearest ancestor that exists, because a missing field has no line. */
const placeOf = (value: unknown, path: string): string => {
  const place: string[] = []
  let at = value
  for (const part of partsOf(path)) {
    at = childOf(at, part)
    if (at === undefined) break
    place.push(part)
  }
  return place.join('.')
}

/** A value as lines, each with the decoder's problems at its place. */
export const jsonLines = (value: unknown, problems: ReadonlyArray<Problem> = []): ReadonlyArray<JsonLine> => {
  const at = new Map<string, ReadonlyArray<string>>()
  for (const { path, expected } of problems) {
    const place = placeOf(value, path)
    const words = place === partsOf(path).join('.') ? `expected ${expected}` : `${path}: expected ${expected}`
    at.set(place, [...(at.get(place) ?? []), words])
  }
  const lines: JsonLine[] = []
  const write = (each: unknown, place: ReadonlyArray<string>, before: string, after: string) => {
    const problems = at.get(place.join('.')) ?? []
    const line = (text: string) => lines.push({ indent: place.length, text, problems })
    if (!isJsonObject(each) && !Array.isArray(each)) return line(`${before}${JSON.stringify(each) ?? 'null'}${after}`)
    const fields = Object.entries(each)
    const [open, close] = Array.isArray(each) ? '[]' : '{}'
    if (fields.length === 0) return line(`${before}${open}${close}${after}`)
    line(`${before}${open}`)
    fields.forEach(([name, field], i) => {
      const label = Array.isArray(each) ? '' : `${JSON.stringify(name)}: `
      write(field, [...place, name], label, i < fields.length - 1 ? ',' : '')
    })
    return lines.push({ indent: place.length, text: `${close}${after}`, problems: [] })
  }
  write(value, [], '', '')
  return lines
}

/** The JSON value of a text; undefined if it is not JSON. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
