import type { TopicPartition } from './positions.ts'
import type { PartitionReader } from './reader.ts'

export const nameOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`

/** The readers of the present generation, and the handlers that earlier ones have left running. */
export type Readers = {
  readonly all: () => ReadonlyArray<PartitionReader>
  readonly get: (name: string) => PartitionReader | undefined
  readonly set: (name: string, reader: PartitionReader) => void
  /** Settles when no earlier reader's handler of this partition runs. */
  readonly before: (name: string) => Promise<void>
  /** Ends the generation: what its handlers still do has no effect any more. */
  readonly retire: () => void
}

/** `leftovers` outlives a consumer that is made anew, since its handlers do. */
export const readersOf = (leftovers: Map<string, Promise<void>>): Readers => {
  const readers = new Map<string, PartitionReader>()
  const leave = (name: string, handled: Promise<void>) => {
    const all = Promise.all([leftovers.get(name), handled]).then(() => {
      if (leftovers.get(name) === all) leftovers.delete(name)
    })
    leftovers.set(name, all)
  }
  return {
    all: () => [...readers.values()],
    get: (name) => readers.get(name),
    set: (name, reader) => readers.set(name, reader),
    before: (name) => leftovers.get(name) ?? Promise.resolve(),
    retire: () => {
      for (const [name, reader] of readers) {
        reader.retire()
        leave(name, reader.handled())
      }
      readers.clear()
    },
  }
}
