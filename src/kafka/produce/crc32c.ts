// biome-ignore-all lint/style/noNonNullAssertion: every index is within its table or between start and end

const lanes = 8

/** tables[n][b]: what the byte b does to the checksum n bytes further on (slicing-by-8). */
const tables = Array.from({ length: lanes }, () => new Int32Array(256))
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
  ...[Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array],
]
for (let byte = 0; byte < 256; byte++) {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
  t0[byte] = crc
}
for (let byte = 0; byte < 256; byte++)
  for (let n = 1; n < lanes; n++) {
    const before = tables[n - 1]?.[byte] ?? 0
    ;(tables[n] as Int32Array)[byte] = (before >>> 8) ^ (t0[before & 0xff] as number)
  }

/** CRC-32C (Castagnoli) of a part of a buffer, as an unsigned number: eight bytes at a time, where kafkajs takes one. */
export const crc32c = (bytes: Uint8Array, start: number, end: number): number => {
  let crc = -1
  let i = start
  for (const last = end - lanes; i <= last; i += lanes) {
    const low = crc ^ (bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24))
    crc =
      t7[low & 0xff]! ^
      t6[(low >>> 8) & 0xff]! ^
      t5[(low >>> 16) & 0xff]! ^
      t4[low >>> 24]! ^
      t3[bytes[i + 4]!]! ^
      t2[bytes[i + 5]!]! ^
      t1[bytes[i + 6]!]! ^
      t0[bytes[i + 7]!]!
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[i]!) & 0xff]!
  return ~crc >>> 0
}
