import type { IncomingRecord } from './ports.ts'

export type Bounds = { readonly records: number; readonly bytes: number }

export const bytesOf = ({ key, value }: IncomingRecord): number => (key?.length ?? 0) + (value?.length ?? 0)

/** The records in their order, cut into slices within the bounds; one that is larger is a slice by itself. */
export const slicesOf = (
  records: ReadonlyArray<IncomingRecord>,
  bounds: Bounds,
): ReadonlyArray<ReadonlyArray<IncomingRecord>> => {
  const slices: Array<Array<IncomingRecord>> = []
  let bytes = 0
  for (const record of records) {
    const size = bytesOf(record)
    const slice = slices.at(-1)
    if (slice === undefined || slice.length >= bounds.records || bytes + size > bounds.bytes) {
      slices.push([record])
      bytes = size
    } else {
      slice.push(record)
      bytes += size
    }
  }
  return slices
}
