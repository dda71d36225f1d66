import { getHeapStatistics } from 'node:v8'

const mebibyte = 1024 ** 2
const catchUp = { records: 24_000, heap: 160 * mebibyte }
/**
 * V8's heap limit includes the young generation, which cannot hold long-lived objects. V8 does not report the size of
 * the young generation: 192 MB where a flag sets the limit of the old generation, less where a container limits memory.
 */
const young = { max: 192 * mebibyte, part: 3 / 8 }
const maxShare = 0.6

/** An estimate of how many bytes of long-lived objects fit into a heap with this limit. */
const capacity = (limit: number): number => limit - Math.min(young.max, young.part * limit)

/** How many records a catch-up slice may have. Half a kilobyte of each is in the heap, its bytes are outside of it. */
export const catchUpRecords = (): number =>
  Math.round(catchUp.records * Math.min(1, capacity(getHeapStatistics().heap_size_limit) / catchUp.heap))

/** Whether less than 60 % of the capacity is used. Garbage that is not collected yet counts as used. */
export const hasRoom = (): boolean => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used < maxShare * capacity(limit)
}
