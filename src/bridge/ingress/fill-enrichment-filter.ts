import { enrichments } from '../../../contracts/topics.ts'
import { enrichedKeysGroup, enrichmentsGroup } from '../domain/consumer-groups.ts'
import type { ConsumerSpec, RunningConsumer } from '../domain/log/consumer.ts'
import type { CommittedOffsets, Ranges } from '../domain/log/positions.ts'
import type { Log } from '../shared/log.ts'
import type { Sleep } from '../shared/time.ts'
import type { EnrichmentFilter } from './enrichment-filter.ts'

/** A consumer that says how far it has handled its partitions. */
type Following = RunningConsumer & {
  readonly owned: () => ReadonlyArray<{ readonly partition: number; readonly position: number }>
}

const topic = enrichments.name
const askEveryMs = 250
const againAfterMs = 1_000

/**
 * Fills the filter with the keys that have an enrichment, so that ingress queries MongoDB for these visitors only. It
 * adds the keys of the view, then those of the topic from the offsets that were committed before it read the view. The
 * filter is complete once the consumer has read the topic to its end, while the consumer is healthy.
 */
export const fillEnrichmentFilter = ({
  kafka,
  enrichedKeys,
  filter,
  reasonOf,
  log,
  sleep,
}: {
  readonly kafka: {
    readonly committedOffsets: CommittedOffsets
    readonly ranges: Ranges
    readonly consume: (spec: ConsumerSpec) => Promise<Following>
  }
  /** Every key that has an enrichment, or had one. */
  readonly enrichedKeys: () => AsyncIterable<string>
  readonly filter: EnrichmentFilter
  /** Words for an error of Kafka or MongoDB. */
  readonly reasonOf: (error: unknown) => string
  readonly log: Log
  readonly sleep: Sleep
}) => {
  const stopping = new AbortController()
  const { signal } = stopping
  let consumer: Following | undefined

  /** Adds all keys of the view to the filter. Resolves with the offsets from which the topic must be read. */
  const addView = async () => {
    const [committed, ranges] = await Promise.all([
      kafka.committedOffsets(enrichmentsGroup, topic),
      kafka.ranges(topic),
    ])
    for await (const key of enrichedKeys()) {
      if (signal.aborted) break
      filter.add(key)
    }
    // An offset beyond the end was committed for a deleted topic of the same name.
    return new Map([...committed].filter(([partition, offset]) => offset <= (ranges.get(partition)?.high ?? 0)))
  }
  const viewAdded = async () => {
    for (;;) {
      try {
        return await addView()
      } catch (error) {
        if (signal.aborted) return new Map<number, number>()
        log.debug({ reason: reasonOf(error) }, 'the keys with enrichments could not be read yet')
        await sleep(againAfterMs, signal)
      }
    }
  }
  const follow = (positions: Map<number, number>) => {
    return kafka.consume({
      group: enrichedKeysGroup,
      alone: true,
      topics: [topic],
      commit: 'by-handler',
      fetchWaitsFor: { bytes: 1, ms: 250 },
      startAt: async (_, partition) => positions.get(partition),
      handle: async ({ partition, records }) => {
        for (const { key, value, offset } of records) {
          if (key !== null && value !== null) filter.add(key.toString())
          positions.set(partition, offset + 1)
        }
      },
    })
  }
  const isAtEnd = async ({ owned }: Following) => {
    const ranges = await kafka.ranges(topic)
    const positions = new Map(owned().map(({ partition, position }) => [partition, position]))
    return [...ranges].every(([partition, { high }]) => (positions.get(partition) ?? -1) >= high)
  }
  const run = async () => {
    const positions = await viewAdded()
    if (signal.aborted) return
    consumer = await follow(positions)
    for (let complete = false; !signal.aborted; await sleep(askEveryMs, signal)) {
      const { ok } = await consumer.health()
      complete = ok && (complete || (await isAtEnd(consumer).catch(() => false)))
      filter.setComplete(complete && !signal.aborted)
    }
  }
  run()
  return {
    stop: async () => {
      stopping.abort()
      // Requests are still served after this, but no consumer updates the filter.
      filter.setComplete(false)
      await consumer?.stop()
    },
  }
}
