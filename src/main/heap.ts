import { getHeapStatistics } from 'node:v8'

const mebibyte = 1024 ** 2
const deep = { records: 24_000, heap: 1024 * mebibyte }
/** What the limit has of the young generation, which cannot hold what stays: V8 does not tell, and it is never more. */
const young = { most: 192 * mebibyte, part: 3 / 8 }
const most = 0.6

/** How much the heap can hold. */
const capacity = (): number => {
  const { heap_size_limit: limit } = getHeapStatistics()
  return limit - Math.min(young.most, young.part * limit)
}

/** How many records a deep slice may have: what three of them take in memory is a small part of the heap. */
export const deepRecords = (): number => Math.round(deep.records * Math.min(1, capacity() / deep.heap))

/** Whether what is there, with what could be collected, is far from what the heap can hold. */
export const hasRoom = (): boolean => getHeapStatistics().used_heap_size < most * capacity()
