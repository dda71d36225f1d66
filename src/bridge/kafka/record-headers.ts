import { utf8Text } from '../shared/text.ts'

/** Kafka's integers of variable length, read from bytes one after the other. */
export type Cursor = { readonly bytes: Buffer; at: number; readonly end: number }

const maxBytes = 10

/** Reads an integer that a double can hold. Throws if the bytes end within it. */
export const varint = (cursor: Cursor): number => {
  const { bytes } = cursor
  let value = 0
  let scale = 1
  for (let i = 0; i < maxBytes; i++) {
    if (cursor.at >= cursor.end) break
    const byte = bytes[cursor.at++] ?? 0
    value += (byte & 0x7f) * scale
    // Zigzag by arithmetic, since 32 bits are not enough for milliseconds.
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    scale *= 0x80
  }
  throw new RangeError('an integer does not end')
}

/**
 * Moves behind a field: its length, then its bytes. Returns the length; -1 is null. Throws if the bytes end within it.
 */
export const skipField = (cursor: Cursor): number => {
  const length = varint(cursor)
  if (length < -1 || cursor.at + length > cursor.end) throw new RangeError('a field ends after its record')
  if (length > 0) cursor.at += length
  return length
}

/** Moves behind the headers. Throws if they do not end within their record, or if one has no name. */
export const skipHeaders = (cursor: Cursor): void => {
  const count = varint(cursor)
  if (count < 0) throw new RangeError('a record has less than no headers')
  for (let i = 0; i < count; i++) {
    if (skipField(cursor) < 0) throw new RangeError('a header has no name')
    skipField(cursor)
  }
}

type Values<V> = Readonly<Record<string, V>>
/** Where the headers are, as Kafka has them. `decoded` is set when somebody has asked for one. */
type Encoded = { readonly bytes: Buffer; readonly from: number; readonly to: number; decoded?: object }

const none = Buffer.alloc(0)

/** All headers in their order. A header without a value has an empty one. */
const headerEntries = ({ bytes, from, to }: Encoded): ReadonlyArray<readonly [string, Buffer]> => {
  const cursor = { bytes, at: from, end: to }
  const entries: Array<readonly [string, Buffer]> = []
  for (let left = varint(cursor); left > 0; left--) {
    const ofName = skipField(cursor)
    const name = bytes.toString('utf8', cursor.at - ofName, cursor.at)
    const ofValue = skipField(cursor)
    entries.push([name, ofValue > 0 ? bytes.subarray(cursor.at - ofValue, cursor.at) : none])
  }
  return entries
}

const encoded = Symbol('encoded headers')

/**
 * An object that is decoded when somebody asks for a header. A record has a dozen headers, and a buffer for each of
 * them needs more memory than the record itself. Most records of a backlog wait in memory without being asked.
 */
const whenAsked = <V>(decode: (of: Encoded) => Values<V>): ((of: Encoded) => Values<V>) => {
  const decodedOf = (of: Encoded): object => {
    of.decoded ??= decode(of)
    return of.decoded
  }
  const handler: ProxyHandler<Encoded> = {
    get: (of, name) => (name === encoded ? of : Reflect.get(decodedOf(of), name)),
    has: (of, name) => Reflect.has(decodedOf(of), name),
    ownKeys: (of) => Reflect.ownKeys(decodedOf(of)),
    getOwnPropertyDescriptor: (of, name) => Reflect.getOwnPropertyDescriptor(decodedOf(of), name),
    set: () => false,
  }
  return ({ bytes, from, to }) => new Proxy<Encoded>({ bytes, from, to }, handler) as unknown as Values<V>
}

/** As kafkajs has them: a repeated header is a list. */
export const repeatedHeaders = whenAsked<Buffer | Buffer[]>((of) => {
  const byName = Map.groupBy(headerEntries(of), ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, all]) => {
      const values = all.map(([, value]) => value)
      return [name, values.length === 1 ? (values[0] ?? none) : values]
    }),
  )
})

/** With the last value of a repeated header. */
export const lastHeaders = whenAsked<Buffer>((of) => Object.fromEntries(headerEntries(of)))

const beyondAscii = /[^\0-\x7f]/u

/**
 * The last texts of the headers with these names, of ASCII letters, as far as they are there. Undefined if one of them
 * is not UTF-8. It makes no buffer for a header.
 */
export const headerTexts = (
  headers: Values<Buffer>,
  names: ReadonlySet<string>,
): ReadonlyMap<string, string> | undefined => {
  const texts = new Map<string, string>()
  const of = encodedOf(headers)
  if (of === undefined) {
    for (const name of names) {
      const value = headers[name]
      if (value === undefined) continue
      const text = utf8Text(value)
      if (text === undefined) return undefined
      texts.set(name, text)
    }
    return texts
  }
  const { bytes, from, to } = of
  // One character for each byte.
  const all = bytes.toString('latin1', from, to)
  const cursor = { bytes, at: from, end: to }
  for (let left = varint(cursor); left > 0; left--) {
    const ofName = skipField(cursor)
    const name = all.slice(cursor.at - ofName - from, cursor.at - from)
    const ofValue = Math.max(0, skipField(cursor))
    if (!names.has(name)) continue
    const value = all.slice(cursor.at - ofValue - from, cursor.at - from)
    const text = beyondAscii.test(value) ? utf8Text(bytes.subarray(cursor.at - ofValue, cursor.at)) : value
    if (text === undefined) return undefined
    texts.set(name, text)
  }
  return texts
}

/** The headers as Kafka has them. Undefined if an object was not made by a function of this file. */
export const encodedOf = (headers: object): Encoded | undefined =>
  (headers as { readonly [encoded]?: Encoded })[encoded]
