export type Path = ReadonlyArray<string>

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The paths of every value inside a value, those of items of lists included. */
export const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  isContainer(value)
    ? Object.entries(value).flatMap(([key, child]) => [[...path, key], ...pathsOf(child, [...path, key])])
    : []

export const valueAt = (value: unknown, [key, ...rest]: Path): unknown => {
  if (key === undefined) return value
  return isContainer(value) ? valueAt(value[key], rest) : undefined
}

const changed = (value: unknown, path: Path, change: (parent: Record<string, unknown>, key: string) => void) => {
  const copy: unknown = structuredClone(value)
  const parent = valueAt(copy, path.slice(0, -1))
  const key = path.at(-1)
  if (isContainer(parent) && key !== undefined) change(parent, key)
  return copy
}

export const withValue = (value: unknown, path: Path, other: unknown): unknown =>
  changed(value, path, (parent, key) => {
    parent[key] = other
  })

export const without = (value: unknown, path: Path): unknown =>
  changed(value, path, (parent, key) => {
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  })

/** Values of every kind, and the given value nested, in a list, and repeated. */
export const oddities = (value: unknown): ReadonlyArray<unknown> => [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e21,
  '',
  ' ',
  'x',
  '1',
  '1e400',
  '\ud800',
  'x'.repeat(300),
  [],
  {},
  [[]],
  [{}],
  ['x', 'x'],
  [null],
  { 1: 'x', 3: {} },
  { 0: 'x', name: 'y' },
  { id: {} },
  { a: { b: { c: [{ d: 1 }] } } },
  { nested: value ?? null },
  [value ?? null, value ?? null],
]
