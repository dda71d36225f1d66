import { getHeapStatistics } from 'node:v8'

const most = { part: 0.7, records: 24_000 }
const gibibyte = 1024 ** 3

/** How many records a deep slice may have: what three of them take in memory is a small part of the heap. */
export const deepRecords = (): number =>
  Math.round(most.records * Math.min(1, getHeapStatistics().heap_size_limit / gibibyte))

/** Whether the heap is far from its limit, with what could be collected. */
export const hasRoom = (): boolean => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used < most.part * limit
}
