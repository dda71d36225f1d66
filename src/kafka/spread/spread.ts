import { hashOf } from './hash.ts'

/** A key and the partition that its records were found in. */
export type Placed = { readonly key: Buffer; readonly partition: number }

/**
 * Over how many of its partitions a topic's keys are spread. It is fewer than there are where some were added later: a key
 * that moved would leave the order of its records behind. `mixed`: the keys found fit to no number.
 */
export type Spread = { readonly over: number; readonly of: number; readonly mixed: boolean }

/** Others may have written a few records wherever they liked. */
const enough = 0.95

/** The number of partitions by which the keys found stand where they stand: all there are, or else the largest that fits. */
export const spreadBy = (of: number, found: ReadonlyArray<Placed>): Spread => {
  const distinct = new Map(
    found.map(({ key, partition }) => [`${partition} ${key.toString('latin1')}`, { partition, hash: hashOf(key) }]),
  )
  const hashes = [...distinct.values()]
  const fits = (count: number) =>
    hashes.filter(({ hash, partition }) => hash % count === partition).length >= enough * hashes.length
  const over = Array.from({ length: of }, (_, fewer) => of - fewer).find(fits)
  return { over: over ?? of, of, mixed: over === undefined }
}
