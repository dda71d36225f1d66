import { createRequire } from 'node:module'

const murmur2: (key: Buffer) => number = createRequire(import.meta.url)(
  'kafkajs/src/producer/partitioners/default/murmur2.js',
)

/** A key's hash as the Java client has it; a key's partition is its remainder by their number. */
export const hashOf = (key: Buffer): number => murmur2(key) & 0x7fffffff
