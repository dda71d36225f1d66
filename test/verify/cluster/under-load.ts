import { eventTopics } from '../../../contracts/topics.ts'
import { eventually } from '../../support/eventually.ts'
import { wrongDocuments } from '../faults/checker.ts'
import type { Defence } from '../faults/defences.ts'
import { findingsOf, unless, wrong } from '../faults/findings.ts'
import type { Exchange } from '../faults/history.ts'
import { observedWorld } from '../faults/observed-world.ts'
import { after } from '../faults/progress.ts'
import type { Recorder } from '../faults/recorder.ts'
import type { Findings } from '../faults/scenario.ts'
import { streams } from '../faults/streams.ts'
import type { Event } from '../faults/traffic.ts'
import type { Three } from './three.ts'

/** What a scenario can use while events arrive. */
export type Load = {
  readonly posts: Recorder
  readonly topics: ReadonlyArray<string>
  readonly prefix: string
  readonly mongoUrl: string
  /** Waits until this many more requests have ended. */
  readonly passes: (count: number) => Promise<void>
  /** Waits until the journal is empty and the projectors have applied all present records. */
  readonly goesOn: () => Promise<boolean>
}

/** What a scenario did, and its findings beside the checks of every scenario. */
export type Harm = {
  readonly injected: number
  /** How many records of one event the log may have. */
  readonly mostCopies?: number
  readonly failures?: ReadonlyArray<string>
  readonly notes?: ReadonlyArray<string>
}

type Options = {
  /** Without it only webhooks are posted. */
  readonly messages?: boolean
  /** Events to post instead. */
  readonly events?: ReadonlyArray<Generator<Event>>
  readonly partitions?: number
}

// The same for the controls: they must fail because a defence is missing, not because of a short timeout.
const withinMs = 90_000

/** Retries until the whole log can be read: kafkajs fails if a partition has no leader. */
const read = <A>(ask: () => Promise<A>): Promise<A> =>
  eventually('the log to be read', () => ask().catch(() => undefined), withinMs)

const names = ['chats', 'bot-conversations']

/** The longest time in ms without a 200 of Interface B: the journal alone is not enough for its events. */
const withoutBot = (history: ReadonlyArray<Exchange>) => {
  const times = history
    .filter(({ chat, status }) => chat.startsWith('bot-') && status === 200)
    .map(({ endedAt }) => endedAt)
  return times.sort((a, b) => a - b).reduce((most, at, i) => Math.max(most, at - (times[i - 1] ?? at)), 0)
}

/**
 * Events of both interfaces arrive through one instance and are projected by two, while the scenario injects its fault.
 * Afterwards no accepted event may be lost or out of order, and the views must equal a fold of the log.
 */
export const underLoad = async (
  cluster: Three,
  without: Defence | undefined,
  harm: (load: Load) => Promise<Harm>,
  { messages = true, events = streams({ workers: 8, messages }), partitions = 4 }: Options = {},
): Promise<Findings> => {
  const here = await observedWorld(cluster, without)
  const replicated = { TOPIC_REPLICATION: '3', TOPIC_PARTITIONS: String(partitions) }
  const intake = await here.place(['ingress'], replicated)
  const ingress = await intake.start()
  const places = [await here.place(['projector'], replicated), await here.place(['projector'], replicated)]
  const projectors = await Promise.all(places.map((place) => place.start()))
  await Promise.all([ingress, ...projectors].map(here.ready))
  const topics = names.map((name) => `${here.prefix}${name}`)
  await cluster.inSync(topics)
  const posts = here.recorder([intake])
  const load = posts.drive(events, { pauseMs: 20 })

  const done = await harm({
    posts,
    topics,
    prefix: here.prefix,
    mongoUrl: here.mongo.url,
    passes: (count) => after(count, posts, load, 30_000),
    goesOn: async () => (await here.drained(ingress, withinMs)) && (await read(() => here.goesOn(withinMs))),
  })
  posts.halt()
  await load
  await cluster.inSync(eventTopics.map(({ name }) => `${here.prefix}${name}`))
  const drained = await here.drained(ingress, withinMs)
  const caughtUp = await here.caughtUp(withinMs)
  const [expected, actual] = [await read(here.fold), await here.documents()]
  const verdict = await read(() => here.verdict(posts.history))
  await here.stop()
  const { mostCopies = Number.POSITIVE_INFINITY } = done
  return findingsOf(verdict, {
    injected: done.injected,
    failures: [
      ...unless(drained, 'the journal was not drained'),
      ...unless(caughtUp, 'the projectors did not catch up'),
      ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ...unless(verdict.mostCopies <= mostCopies, `${verdict.mostCopies} copies of a record`),
      ...(done.failures ?? []),
    ],
    notes: [
      `${Object.keys(actual).length} documents compared whole`,
      `at most ${verdict.mostCopies} copies of a record`,
      ...(messages ? [`Interface B without a 200 for ${(withoutBot(posts.history) / 1000).toFixed(1)} s at most`] : []),
      ...(done.notes ?? []),
    ],
  })
}
