import { enrichments, type TopicName } from '../../../contracts/topics.ts'
import { enrichmentsGroup, viewsGroup } from '../domain/consumer-groups.ts'
import type { ConsumerSpec, HandleSlice } from '../domain/log/consumer.ts'
import { type CompareLog, logMarks, type StoredMarks, type TopicIds } from '../domain/log/positions.ts'
import { catchUpRecords } from '../shared/heap.ts'
import { topicsOfViews, type ViewName, viewNames } from './index.ts'
import type { positionsInMongo } from './positions.ts'

// What the projector reads, where it begins, and why it must not read: MongoDB and Kafka do not fit together.

type Positions = Pick<ReturnType<typeof positionsInMongo>, 'refusal' | 'startAt' | 'handled'>

/** The topics that are others than those from which the state was made. */
type ChangedTopics<State extends string> = (state: State, ids: TopicIds) => Promise<ReadonlyArray<TopicName>>

/** How many times as long as its last slice took the projector gathers. */
const timesAsLong = 15

/**
 * How long a fetch waits for more: by what a write costs. MongoDB is asked as often for a write of one event as for one
 * of hundreds, so writing must take a small share of the time. The first record after a fetch that brought none does not
 * wait: kafkajs-patches/fetch.ts sees to it.
 */
export const waitByCost = (longestMs: number, clock: () => number) => {
  let tookMs = 0
  return {
    waitMs: (): number => Math.min(longestMs, Math.ceil(timesAsLong * tookMs)),
    measured:
      (handle: HandleSlice): HandleSlice =>
      async (slice, owned) => {
        const began = clock()
        await handle(slice, owned)
        tookMs = clock() - began
      },
  }
}

/** The longest wait, and the bytes for which it ends. */
const gathered = { bytes: 1024 * 1024, ms: 250 }

/** Folds the topics into the views. */
export const viewsConsumer = ({
  fold,
  positions,
  topicsRead,
  compareLog,
  viewsOfOtherVersions,
  misfit,
  applyMissedErasures,
  whenFolding,
  clock,
}: {
  readonly fold: HandleSlice
  readonly positions: Positions
  readonly topicsRead: StoredMarks & { readonly changed: ChangedTopics<'views'> }
  readonly compareLog: CompareLog
  readonly viewsOfOtherVersions: () => Promise<ReadonlyArray<ViewName>>
  /** Why the receipts of erasures recognise nobody. */
  readonly misfit: () => Promise<string | undefined>
  readonly applyMissedErasures: () => Promise<void>
  /** Called once nothing forbids folding. */
  readonly whenFolding: () => void
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}): ConsumerSpec => {
  const topics = topicsOfViews(viewNames)
  const marks = logMarks({ ...topicsRead, compareLog })
  const wait = waitByCost(gathered.ms, clock)
  const ofOtherVersion = async () => {
    const others = await viewsOfOtherVersions()
    const asked = others.length === 1 ? others[0] : 'all'
    return others.length === 0
      ? undefined
      : `${others.join(', ')}: not made by this version of the bridge: run livechat-bridge rebuild ${asked}`
  }
  const ofOtherTopics = async (ids: TopicIds) => {
    const changed = await topicsRead.changed('views', ids)
    return changed.length === 0
      ? undefined
      : `${changed.join(', ')}: deleted and created again, or TOPIC_PREFIX was changed: views have offsets of the other topic: run livechat-bridge rebuild all`
  }
  return {
    group: viewsGroup,
    topics,
    // Folds depend on no order of two topics, so a topic may come later than the others.
    leftOutIfDenied: topics,
    commit: 'when-handled',
    refuseTopics: async (ids) => {
      const unfit =
        (await ofOtherVersion()) ?? (await ofOtherTopics(ids)) ?? (await marks.refusal(ids)) ?? (await misfit())
      if (unfit !== undefined) return unfit
      await applyMissedErasures()
      const lacking = await positions.refusal(ids)
      // Statistics begin here: documents of another version of the bridge cannot be counted.
      if (lacking === undefined) whenFolding()
      return lacking
    },
    startAt: positions.startAt,
    fetchWaitsFor: { bytes: gathered.bytes, ms: wait.waitMs },
    catchUpRecords: catchUpRecords(),
    handle: wait.measured(async (slice, owned) => {
      await marks.before(slice.records)
      await fold(slice, owned)
      positions.handled(slice)
    }),
  }
}

/** Stores the enrichments that ingress looks up. */
export const enrichmentsConsumer = ({
  store,
  positions,
  topicsRead,
  misfit,
  applyMissedErasures,
}: {
  readonly store: HandleSlice
  readonly positions: Positions
  readonly topicsRead: {
    readonly changed: ChangedTopics<'enrichments'>
    /** Lets the enrichments of new topics replace the present ones, regardless of their offsets. */
    readonly acceptEnrichments: (ids: TopicIds) => Promise<void>
  }
  readonly misfit: () => Promise<string | undefined>
  readonly applyMissedErasures: () => Promise<void>
}): ConsumerSpec => ({
  group: enrichmentsGroup,
  topics: [enrichments.name],
  commit: 'when-handled',
  refuseTopics: async (ids) => {
    const unfit = await misfit()
    if (unfit !== undefined) return unfit
    // Before a newer record of the topic can replace an enrichment that must go.
    await applyMissedErasures()
    const changed = await topicsRead.changed('enrichments', ids)
    if (changed.length > 0) await topicsRead.acceptEnrichments(ids)
    return positions.refusal(ids)
  },
  startAt: positions.startAt,
  handle: async (slice, owned) => {
    await store(slice, owned)
    positions.handled(slice)
  },
})
