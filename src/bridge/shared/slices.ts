export type Bounds = { readonly records: number; readonly bytes: number }

type Sized = { readonly key: Uint8Array | null; readonly value: Uint8Array | null }

export const bytesOf = ({ key, value }: Sized): number => (key?.length ?? 0) + (value?.length ?? 0)

/** Cuts the records into slices within the bounds, in order. A record above the bounds is a slice by itself. */
export const slicesOf = <A extends Sized>(
  records: ReadonlyArray<A>,
  bounds: Bounds,
): ReadonlyArray<ReadonlyArray<A>> => {
  const slices: Array<Array<A>> = []
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

/** Splits the items, in order, into pieces of at most `size` items. */
export const chunks = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
