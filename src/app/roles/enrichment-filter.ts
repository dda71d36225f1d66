import { enrichments } from '../../../contracts/topics.ts'
import { enrichedKeysGroup, enrichmentsGroup } from '../../bridge/domain/consumer-groups.ts'
import type { EnrichmentFilter } from '../../bridge/ingress/enrichment-filter.ts'
import type { Supervised } from '../../bridge/kafka/consumer/consume.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import type { Log } from '../../bridge/shared/log.ts'
import type { Sleep } from '../../bridge/shared/time.ts'
import { type Part, serverReasonOf } from '../ports.ts'

type Deps = {
  readonly kafka: Pick<KafkaPorts, 'committedOffsets' | 'consume' | 'ranges'>
  /** Every key that has an enrichment, or had one. */
  readonly enrichedKeys: () => AsyncIterable<string>
  readonly filter: EnrichmentFilter
  readonly log: Log
  readonly sleep: Sleep
}

const topic = enrichments.name
const lookEveryMs = 250
const againAfterMs = 1_000

/**
 * Fills the filter with the keys that have an enrichment, so that ingress queries MongoDB for these visitors only. It
 * adds the keys of the view, then those of the topic from the offsets that were committed before it read the view. The
 * filter is complete once the consumer has read the topic to its end, while the consumer is healthy.
 */
export const fillEnrichmentFilter = ({ kafka, enrichedKeys, filter, log, sleep }: Deps): Part => {
  const stopping = new AbortController()
  const { signal } = stopping
  let consumer: Supervised | undefined

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
        log.debug({ reason: serverReasonOf(error) }, 'the keys with enrichments could not be read yet')
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
  const isAtEnd = async ({ waiting }: Supervised) => {
    const ranges = await kafka.ranges(topic)
    const positions = new Map(waiting().map(({ partition, position }) => [partition, position]))
    return [...ranges].every(([partition, { high }]) => (positions.get(partition) ?? -1) >= high)
  }
  const run = async () => {
    const positions = await viewAdded()
    if (signal.aborted) return
    consumer = await follow(positions)
    for (let complete = false; !signal.aborted; await sleep(lookEveryMs, signal)) {
      const { ok } = await consumer.health()
      complete = ok && (complete || (await isAtEnd(consumer).catch(() => false)))
      filter.setComplete(complete && !signal.aborted)
    }
  }
  run()
  return {
    // No check: requests work without the filter, and the metrics count restarts of this consumer too.
    checks: {},
    stop: async () => {
      stopping.abort()
      // Requests are still served after this, but no consumer updates the filter.
      filter.setComplete(false)
      await consumer?.stop()
    },
  }
}
