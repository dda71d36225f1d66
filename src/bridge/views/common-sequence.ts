const maxCells = 4_000_000

/**
 * The longest common subsequence of two lists, as pairs in their order. Equal beginnings and ends are paired first.
 * Undefined if the rest is too large to compare (more than 2,000 by 2,000).
 */
export const commonSequence = <A, B>(
  some: ReadonlyArray<A>,
  others: ReadonlyArray<B>,
  same: (one: A, other: B) => boolean,
): ReadonlyArray<readonly [A, B]> | undefined => {
  const at = (i: number, j: number): readonly [A, B] => [some[i] as A, others[j] as B]
  const shorter = Math.min(some.length, others.length)
  let start = 0
  while (start < shorter && same(...at(start, start))) start++
  let tail = 0
  while (tail < shorter - start && same(...at(some.length - 1 - tail, others.length - 1 - tail))) tail++
  const [n, m] = [some.length - start - tail, others.length - start - tail]
  if (n * m > maxCells) return undefined
  const width = m + 1
  // lengths[i * width + j]: the length of the common subsequence of the rests from i and from j.
  const lengths = new Uint16Array((n + 1) * width)
  const length = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--)
      lengths[i * width + j] = same(...at(start + i, start + j))
        ? length(i + 1, j + 1) + 1
        : Math.max(length(i + 1, j), length(i, j + 1))
  const middle: Array<readonly [A, B]> = []
  for (let i = 0, j = 0; i < n && j < m; ) {
    if (same(...at(start + i, start + j))) middle.push(at(start + i++, start + j++))
    else if (length(i + 1, j) >= length(i, j + 1)) i++
    else j++
  }
  return [
    ...Array.from({ length: start }, (_, i) => at(i, i)),
    ...middle,
    ...Array.from({ length: tail }, (_, i) => at(some.length - tail + i, others.length - tail + i)),
  ]
}
