import type { TopicName } from '../../../../contracts/topics.ts'
import type { TopicIds } from '../../domain/log/positions.ts'
import type { PartitionReader } from './partition-reader.ts'

/** A partition that waits for records. */
type Waiting = {
  readonly name: string
  readonly topic: TopicName
  readonly partition: number
  readonly position: number
  /** The leader epoch of the record before the position, if it is known. */
  readonly epoch?: number | undefined
}

/** The readers of the current generation, and the handlers of earlier generations that still run. */
export type Readers = {
  readonly all: () => ReadonlyArray<PartitionReader>
  readonly get: (name: string) => PartitionReader | undefined
  readonly set: (name: string, reader: PartitionReader) => void
  /** The ids of the topics that are read, if they are known. */
  readonly topicIds: () => TopicIds
  readonly waiting: () => ReadonlyArray<Waiting>
  /** Settles when no handler of an earlier reader of this partition runs any more. */
  readonly previousHandled: (name: string) => Promise<void>
  /** Ends the generation: later results of its handlers are ignored. */
  readonly retire: () => void
}

/** `unfinishedHandlers` survives a restart of the consumer, since its handlers may still run. */
export const readersOf = (unfinishedHandlers: Map<string, Promise<void>>): Readers => {
  const readers = new Map<string, PartitionReader>()
  const keepUntilHandled = (name: string, handled: Promise<void>) => {
    const all = Promise.all([unfinishedHandlers.get(name), handled]).then(() => {
      if (unfinishedHandlers.get(name) === all) unfinishedHandlers.delete(name)
    })
    unfinishedHandlers.set(name, all)
  }
  return {
    all: () => [...readers.values()],
    get: (name) => readers.get(name),
    set: (name, reader) => readers.set(name, reader),
    topicIds: () =>
      new Map(
        [...readers.values()].flatMap(({ topic, topicId }) => (topicId === '' ? [] : [[topic, topicId] as const])),
      ),
    waiting: () =>
      [...readers].flatMap(([name, { topic, partition, isIdle, position, epochBefore }]) =>
        isIdle() ? [{ name, topic, partition, position: position(), epoch: epochBefore(position()) }] : [],
      ),
    previousHandled: (name) => unfinishedHandlers.get(name) ?? Promise.resolve(),
    retire: () => {
      for (const [name, reader] of readers) {
        reader.retire()
        keepUntilHandled(name, reader.handled())
      }
      readers.clear()
    },
  }
}
