const seed = 0x9747b28c
const multiplier = 0x5bd1e995

const mixed = (word: number) => {
  const product = Math.imul(word, multiplier)
  return Math.imul(product ^ (product >>> 24), multiplier)
}

/**
 * A key's hash as the Java client has it (MurmurHash2, without the sign). The partition is its remainder by the number of partitions.
 * kafkajs computes the same with BigInts in thirty times the time, and each record has to be hashed.
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

/** A key and the partition that its records were found in. */
export type FoundKey = { readonly key: Buffer; readonly partition: number }

/**
 * Over how many of its partitions a topic's keys are spread. It is fewer than there are where some were added later: the records
 * of a key that moved would lose their order. `mixed`: the keys found fit to no number.
 */
export type KeySpread = { readonly over: number; readonly of: number; readonly mixed: boolean }

/** Others may have written a few records wherever they liked. */
const enough = 0.95

/** The number of partitions by which the keys found stand where they stand: all there are, or else the largest that fits. */
export const keySpreadBy = (of: number, found: ReadonlyArray<FoundKey>): KeySpread => {
  const distinct = new Map(
    found.map(({ key, partition }) => [`${partition} ${key.toString('latin1')}`, { partition, hash: murmur2(key) }]),
  )
  const hashes = [...distinct.values()]
  const fits = (count: number) =>
    hashes.filter(({ hash, partition }) => hash % count === partition).length >= enough * hashes.length
  const over = Array.from({ length: of }, (_, fewer) => of - fewer).find(fits)
  return { over: over ?? of, of, mixed: over === undefined }
}
