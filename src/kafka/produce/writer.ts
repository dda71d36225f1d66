/** Bytes of Kafka's protocol, written one after the other into one buffer that grows. */
export type Writer = {
  readonly position: () => number
  readonly int8: (value: number) => void
  readonly int16: (value: number) => void
  readonly int32: (value: number) => void
  /** A whole number that a double can hold. */
  readonly int64: (value: number) => void
  readonly varint: (value: number) => void
  /** A varint of the length, then the bytes; null is the length -1. */
  readonly varbytes: (value: string | Uint8Array | null) => void
  /** The bytes alone. */
  readonly raw: (bytes: Uint8Array) => void
  /** An int16 of the length, then the text; null is the length -1. */
  readonly string: (value: string | null) => void
  /** Writes what `write` writes, behind the varint of its length. */
  readonly measured: (write: () => void) => void
  /** Writes an int32 at a place that has been written already. */
  readonly int32At: (place: number, value: number) => void
  readonly bytes: () => Buffer
}

/** Below this a loop over the characters is faster than the call into the engine. */
const short = 64
const mostBytesOfVarint = 10
const shift = 2 ** 32

/** Bytes of a whole number as a varint. */
const sizeOfVarint = (value: number): number => {
  let size = 1
  for (let rest = value >= 0 ? value * 2 : -value * 2 - 1; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
  return size
}

export const writer = (roomFor: number): Writer => {
  let buffer = Buffer.allocUnsafe(roomFor)
  let at = 0

  const room = (size: number) => {
    if (at + size <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + size))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }
  const varint = (value: number) => {
    room(mostBytesOfVarint)
    // Zigzag by arithmetic: a delta of milliseconds may not fit into the 32 bits of a shift.
    let rest = value >= 0 ? value * 2 : -value * 2 - 1
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) buffer[at++] = (rest % 0x80) | 0x80
    buffer[at++] = rest
  }
  const text = (value: string, size: number) => {
    room(size)
    if (size === value.length && size < short) for (let i = 0; i < size; i++) buffer[at + i] = value.charCodeAt(i)
    else buffer.write(value, at, size, 'utf8')
    at += size
  }
  const int32 = (value: number) => {
    room(4)
    at = buffer.writeInt32BE(value, at)
  }

  const raw = (bytes: Uint8Array) => {
    room(bytes.length)
    buffer.set(bytes, at)
    at += bytes.length
  }

  return {
    position: () => at,
    int8: (value) => {
      room(1)
      at = buffer.writeInt8(value, at)
    },
    int16: (value) => {
      room(2)
      at = buffer.writeInt16BE(value, at)
    },
    int32,
    int64: (value) => {
      int32(Math.floor(value / shift))
      int32((value - Math.floor(value / shift) * shift) | 0)
    },
    varint,
    varbytes: (value) => {
      if (value === null) return varint(-1)
      if (typeof value === 'string') {
        const size = Buffer.byteLength(value)
        varint(size)
        return text(value, size)
      }
      varint(value.length)
      raw(value)
    },
    raw,
    string: (value) => {
      const size = value === null ? -1 : Buffer.byteLength(value)
      room(2)
      at = buffer.writeInt16BE(size, at)
      if (value !== null) text(value, size)
    },
    measured: (write) => {
      const start = at
      write()
      const size = at - start
      room(mostBytesOfVarint)
      buffer.copyWithin(start + sizeOfVarint(size), start, at)
      at = start
      varint(size)
      at += size
    },
    int32At: (place, value) => {
      buffer.writeInt32BE(value, place)
    },
    bytes: () => buffer.subarray(0, at),
  }
}
