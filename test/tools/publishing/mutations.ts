import fc from 'fast-check'

/** Values at the edges of what the leaf codecs accept. */
export const edges: ReadonlyArray<unknown> = [
  null,
  true,
  '',
  ' ',
  '\u2028',
  '\ufeff',
  '\u0085',
  'a\u0000b',
  'a\nb',
  'https://crm.example.com/7',
  'HTTP://a b',
  'javascript:alert(1)',
  'x'.repeat(255),
  'x'.repeat(256),
  '𝒳'.repeat(255),
  '𝒳'.repeat(256),
  'x'.repeat(600),
  -1,
  -0,
  0,
  1.5,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  -(2 ** 53) + 1,
  1e21,
  5e-324,
  -5e-324,
  99_999_999_999,
  99_999_999_999.5,
  100_000_000_000,
  99_999_999_999_999.5,
  100_000_000_000_000,
  253_402_300_800_000,
  '0',
  '007',
  '-1',
  '+1',
  '1e3',
  '99999999999999.999999',
  '100000000000000',
  '1665415879.1234567',
  '٣',
  '2026-02-28T23:59:59Z',
  '2024-02-29T00:00:00.123456789Z',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2000-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-12-31T23:59:60Z',
  '2026-01-01T00:00:00+00:00',
  '2026-02-30T10:00:00+02:00',
  '0000-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '2026-01-01T00:00:00+2400',
  '2026-01-01t00:00:00z',
  '0000-01-01T00:00:00Z',
  '2026-01-01T00:00:00.1234567890Z',
  '2026-01-31',
  '2026-02-30',
  '2026-13-01',
  'acme/2037',
  'TEXT',
  'BUTTONS',
  'ok',
  [],
  {},
  [[]],
  { id: 1 },
  { toString: 1, valueOf: 1, hasOwnProperty: 1, constructor: 1, toJSON: 1 },
  [1, 2, 3, 4],
]

type Path = ReadonlyArray<string>

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> => [
  path,
  ...(isContainer(value) ? Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key])) : []),
]

type Change = (parent: Record<string, unknown>, key: string) => void

const changed = (value: unknown, [key, ...rest]: Path, change: Change): void => {
  if (!isContainer(value) || key === undefined) return
  if (rest.length === 0) change(value, key)
  else changed(value[key], rest, change)
}

const another = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...edges) }, { weight: 1, arbitrary: fc.jsonValue() })

const remove: Change = (parent, key) => {
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete parent[key]
}
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.constant(remove),
  another.map<Change>((value) => (parent, key) => {
    parent[key] = structuredClone(value)
  }),
  fc.tuple(fc.string(), another).map<Change>(([name, value]) => (parent) => {
    if (!Array.isArray(parent)) parent[name] = structuredClone(value)
  }),
)

/** A JSON value with up to three changes anywhere in it: a field removed, a value replaced, or a field added. */
export const mutationsOf = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(values, fc.array(fc.tuple(fc.nat(), anyChange), { maxLength: 3 })).map(([value, changes]) => {
    const held: unknown = structuredClone({ value })
    for (const [n, change] of changes) {
      const paths = pathsOf(held).slice(1)
      changed(held, paths[n % paths.length] ?? [], change)
    }
    return isContainer(held) && held.value !== undefined ? held.value : null
  })
