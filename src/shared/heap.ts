import { getHeapStatistics } from 'node:v8'

const mebibyte = 1024 ** 2
const deep = { records: 24_000, heap: 1024 * mebibyte }
/**
 * What the limit has of the young generation, which cannot hold what stays. V8 does not tell it: 192 MB where the old one is set by a
 * flag, less where a container bounds the memory; so much of a small limit that there is room left beside it.
 */
const young = { most: 192 * mebibyte, part: 3 / 8 }
const most = 0.6

/** How much a heap of that limit can hold, as far as can be told. */
const capacity = (limit: number): number => limit - Math.min(young.most, young.part * limit)

/** How many records a deep slice may have: what three of them take in memory is a small part of the heap. */
export const deepRecords = (): number =>
  Math.round(deep.records * Math.min(1, capacity(getHeapStatistics().heap_size_limit) / deep.heap))

/** Whether what is there, with what could be collected, is far from what the heap can hold. */
export const hasRoom = (): boolean => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used < most * capacity(limit)
}
