/** The memory and resources of a process after a garbage collection; `resources` by kind: sockets, timers, … */
export type Held = { readonly heapBytes: number; readonly resources: Readonly<Record<string, number>> }

const mebibyte = 1024 ** 2
/** Some periodic work may be running, and caches grow until they are full: their bounds are counts, not bytes. */
const slack = { resources: 5, heapBytes: 12 * mebibyte, heapShare: 1.2 }

const mebibytes = (bytes: number) => `${(bytes / mebibyte).toFixed(0)} MiB`

/** The resources that have clearly grown. */
export const grown = (before: Held, after: Held): ReadonlyArray<string> => {
  const kinds = Object.entries(after.resources).flatMap(([kind, count]) => {
    const first = before.resources[kind] ?? 0
    return count > first + slack.resources ? [`${kind}: ${first}, then ${count}`] : []
  })
  const most = before.heapBytes * slack.heapShare + slack.heapBytes
  const heap =
    after.heapBytes > most ? [`heap: ${mebibytes(before.heapBytes)}, then ${mebibytes(after.heapBytes)}`] : []
  return [...kinds, ...heap]
}

const shown = ['TCPSocketWrap', 'Timeout']

/** `heap 41 MiB, TCPSocketWrap 12, Timeout 30` */
export const told = ({ heapBytes, resources }: Held): string =>
  [`heap ${mebibytes(heapBytes)}`, ...shown.map((kind) => `${kind} ${resources[kind] ?? 0}`)].join(', ')
