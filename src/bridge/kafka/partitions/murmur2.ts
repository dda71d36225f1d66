const seed = 0x9747b28c
const multiplier = 0x5bd1e995

const mixed = (word: number) => {
  const product = Math.imul(word, multiplier)
  return Math.imul(product ^ (product >>> 24), multiplier)
}

/**
 * The hash of a key as in the Java client (MurmurHash2, without the sign). The partition is its remainder by the number
 * of partitions. kafkajs computes the same hash with BigInts, which takes thirty times as long for each record.
 */
export const murmur2 = (key: Buffer): number => {
  const { length } = key
  const whole = length & ~3
  let hash = seed ^ length
  for (let i = 0; i < whole; i += 4) hash = Math.imul(hash, multiplier) ^ mixed(key.readInt32LE(i))
  if (whole < length) hash = Math.imul(hash ^ key.readUIntLE(whole, length - whole), multiplier)
  hash = Math.imul(hash ^ (hash >>> 13), multiplier)
  return (hash ^ (hash >>> 15)) & 0x7fffffff
}
