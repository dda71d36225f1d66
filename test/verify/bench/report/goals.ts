import type { Measurement } from '../bench.ts'
import type { Result } from '../run-jobs.ts'
import { ratios } from '../statistics.ts'

type Figure = Pick<Measurement, 'case' | 'who' | 'metric'>

/** A figure that the bridge must reach; `against`, if given, divides it by another figure, round by round. */
export type Goal = {
  readonly job: string
  readonly text: string
  readonly sense: 'at least' | 'at most'
  readonly must?: number
  readonly aim: number
  readonly of: Figure
  readonly against?: Figure
}

const atConnections = (connections: number, metric: string) => (who: string) => ({
  case: `${connections} connections`,
  who,
  metric,
})
const ingest = (who: string): ReadonlyArray<Goal> => {
  const [job, of] = ['ingest', `${who}: `.replace('bridge: ', '').replace('bridge, ', '')]
  const ceiling = 'Koa and io-ts, no Kafka'
  return [
    ...[1_000, 2_000].map((rate): Goal => {
      const p99 = (whose: string) => ({ case: `${rate} requests/s`, who: whose, metric: 'p99' })
      const text = `${of}p99 at ${rate.toLocaleString('en')} requests/s against Camel`
      return { job, text, sense: 'at most', aim: 1.5, of: p99(who), against: p99('Camel') }
    }),
    ...[64, 256].map((connections): Goal => {
      const rate = atConnections(connections, 'rate')
      const text = `${of}requests/s at ${connections} connections against the ceiling (${ceiling})`
      return { job, text, sense: 'at least', must: 0.6, aim: 0.8, of: rate(who), against: rate(ceiling) }
    }),
  ]
}

const projection = (who: string) => ({ case: '100000 events, 20000 chats', who, metric: 'rate' })
const egress = (who: string) => ({ case: '300 replies/s, 100 chats', who, metric: 'p99' })
const talk = (who: string, rate = 200, metric = 'p99') => ({ case: `${rate} messages/s`, who, metric })
const started = (of: string, metric: string) => ({ case: of, who: 'bridge, npm start', metric })
const growth = (who: string, of: string, metric = 'rate') => ({ case: of, who, metric })

const traced = (who: string, of: string, against: string, must: number): ReadonlyArray<Goal> =>
  (
    [
      ['requests/s', 'rate', 'at least', 1 - must],
      ['processor time a request', 'CPU', 'at most', 1 + must],
    ] as const
  ).map(([text, metric, sense, aim]) => ({
    job: 'tracing',
    text: `${text} at 64 connections, ${who}`,
    sense,
    aim,
    of: atConnections(64, metric)(of),
    against: atConnections(64, metric)(against),
  }))

const grown = (who: string): Goal => ({
  job: 'growth',
  text: `${who.slice('bridge: '.length)}: rate at 1M events against 10k`,
  sense: 'at least',
  must: 0.8,
  aim: 0.95,
  of: growth(who, '1M events'),
  against: growth(who, '10k events'),
})
const memory = growth('bridge: projector', '1M events', 'memory')
const asked = (metric: string) => ({
  case: '10000 turns of an instant bot',
  who: 'what-if, a module in process',
  metric,
})

/** A conversation must be painted, a list shown, within this many ms; the response time is a part of that. */
const shown = (of: string, must: number, aim: number): Goal => ({
  job: 'console',
  text: `p99 of ${of}, ms`,
  sense: 'at most',
  must,
  aim,
  of: { case: of, who: 'bridge, role console', metric: 'p99' },
})
/** In a browser, for nine of ten views. */
const painted = (of: string, must: number): ReadonlyArray<Goal> =>
  ['cold', 'warm'].map((cache) => ({
    job: 'console',
    text: `p90 of first paint of ${of}, ${cache} cache, ms`,
    sense: 'at most',
    must,
    aim: must / 2,
    of: { case: `first paint of ${of}`, who: `Chromium, ${cache} cache`, metric: 'p90' },
  }))
const lists = ['list', 'list, a later page', 'list, state=open', 'list, outcome=abandoned', 'list, two rare filters']

const npmStart: ReadonlyArray<Goal> = [
  {
    job: 'npm-start',
    text: 'requests/s at 64 connections against Camel, views following',
    sense: 'at least',
    must: 0.45,
    aim: 0.8,
    of: started('64 connections', 'rate'),
    against: atConnections(64, 'rate')('Camel'),
  },
  ...(
    [
      [200, 2.5, 1.5],
      [1_000, 5, 2],
    ] as const
  ).map(
    ([rate, must, aim]): Goal => ({
      job: 'npm-start',
      text: `p99 at ${rate.toLocaleString('en')} requests/s against Camel, views following`,
      sense: 'at most',
      must,
      aim,
      of: started(`${rate} requests/s`, 'p99'),
      against: { case: `${rate} requests/s`, who: 'Camel', metric: 'p99' },
    }),
  ),
  {
    job: 'npm-start',
    text: 'processor time of all processes while idle, 12 partitions, ms/s',
    sense: 'at most',
    must: 24,
    aim: 15,
    of: started('idle', 'CPU'),
  },
  {
    job: 'npm-start',
    text: 'memory of all processes while idle, MB',
    sense: 'at most',
    must: 272,
    aim: 240,
    of: started('idle', 'memory'),
  },
]

const wholeWay = (
  text: string,
  {
    sense = 'at most',
    must,
    aim,
    of,
    metric,
    against = 'Camel and Kafka Connect',
  }: {
    readonly sense?: Goal['sense']
    readonly must: number
    readonly aim: number
    readonly of: string
    readonly metric: string
    readonly against?: string
  },
): Goal => ({
  job: 'whole-way',
  text: `${text} against ${against}`,
  sense,
  must,
  aim,
  of: { case: of, who: 'bridge, npm start', metric },
  against: { case: of, who: against, metric },
})
/** At these rates the bridge is compared with the checkout that `--before` names. */
const thanBefore = { must: 1, aim: 0.5, against: 'before' }
const freshness = (rate: number, percentile: string, than: typeof thanBefore | { must: number; aim: number }): Goal =>
  wholeWay(`${percentile} until an event can be read, at ${rate}/s,`, {
    ...than,
    of: `${rate} events/s, freshness`,
    metric: `${percentile} until it can be read`,
  })

const wholeWays: ReadonlyArray<Goal> = [
  ...(
    [
      [16, 0.85, 1.1],
      [64, 0.9, 1.2],
      [256, 0.85, 1.1],
    ] as const
  ).map(([connections, must, aim]) =>
    wholeWay(`events/s until in the views at ${connections} connections`, {
      sense: 'at least',
      must,
      aim,
      of: `${connections} connections`,
      metric: 'rate until in the views',
    }),
  ),
  wholeWay("mongod's processor time an event at 64 connections", {
    must: 1.5,
    aim: 1.1,
    of: '64 connections',
    metric: 'CPU of mongod',
  }),
  freshness(1, 'p50', { must: 1.2, aim: 0.7 }),
  freshness(1, 'p99', { must: 2, aim: 1 }),
  ...[50, 500].flatMap((rate) => ['p50', 'p99'].map((percentile) => freshness(rate, percentile, thanBefore))),
  ...['CPU', 'CPU of mongod'].map((metric) =>
    wholeWay(`${metric === 'CPU' ? "the bridge's" : "mongod's"} processor time an event at 50/s`, {
      ...thanBefore,
      of: '50 requests/s',
      metric,
    }),
  ),
  wholeWay('p99 of the answer at 1,000 requests/s', { must: 2.5, aim: 1.5, of: '1000 requests/s', metric: 'p99' }),
]

export const goals: ReadonlyArray<Goal> = [
  ...['bridge', 'bridge, one instance'].flatMap(ingest),
  ...npmStart,
  ...wholeWays,
  ...traced('tracing off against no spans at all', 'bridge, tracing off', 'bridge without spans', 0.01),
  ...traced('1 % sampled against tracing off', 'bridge, 1 % sampled', 'bridge, tracing off', 0.03),
  {
    job: 'archiver',
    text: 'processor time at 1,000 events/s, % of a core',
    sense: 'at most',
    must: 15,
    aim: 15,
    of: { case: '1000 events/s, chats of 12 events', who: 'bridge, role archiver', metric: 'CPU at that rate' },
  },
  {
    job: 'projection',
    text: "events/s into all views against Kafka Connect's single upsert",
    sense: 'at least',
    must: 2,
    aim: 3,
    of: projection('bridge, all views'),
    against: projection('Kafka Connect, one upsert'),
  },
  {
    job: 'projection',
    text: 'memory of the projector in a backlog, MB',
    sense: 'at most',
    must: 400,
    aim: 300,
    of: { ...projection('bridge, all views'), metric: 'memory' },
  },
  {
    job: 'projection',
    text: 'memory of a projector with the heap of a container of 512 MiB, MB',
    sense: 'at most',
    must: 450,
    aim: 400,
    of: { ...projection('bridge, all views, heap of 512 MiB'), metric: 'memory' },
  },
  {
    job: 'projection',
    text: 'events/s with that heap against the usual one',
    sense: 'at least',
    must: 0.8,
    aim: 0.95,
    of: projection('bridge, all views, heap of 512 MiB'),
    against: projection('bridge, all views'),
  },
  {
    job: 'egress',
    text: 'p99 with a stuck chat against without',
    sense: 'at most',
    must: 2,
    aim: 1.2,
    of: egress('bridge, with a stuck chat'),
    against: egress('bridge'),
  },
  ...['bridge, npm start', 'bridge, a process a role'].flatMap((who) =>
    [50, 200].map(
      (rate): Goal => ({
        job: 'message-to-reply',
        text: `p99 at ${rate}/s against the floor's (${who})`,
        sense: 'at most',
        must: 2,
        aim: 1.3,
        of: talk(who, rate),
        against: talk('floor: bare node:http and kafkajs', rate),
      }),
    ),
  ),
  {
    job: 'message-to-reply',
    text: 'processor time of all processes a message at 50/s, µs (bridge, npm start)',
    sense: 'at most',
    must: 4_000,
    aim: 2_500,
    of: talk('bridge, npm start', 50, 'CPU'),
  },
  ...['bridge: projector', 'bridge: ingress'].map(grown),
  {
    job: 'growth',
    text: 'projector: memory in the second half of 900,000 events against the first',
    sense: 'at most',
    must: 1.1,
    aim: 1,
    of: memory,
    against: { ...memory, metric: 'memory, first half' },
  },
  {
    job: 'growth',
    text: 'projector: resident memory after 1M events, MB',
    sense: 'at most',
    aim: 400,
    of: memory,
  },
  {
    job: 'what-if',
    text: '10,000 turns of an instant bot, s',
    sense: 'at most',
    must: 60,
    aim: 60,
    of: asked('time'),
  },
  {
    job: 'what-if',
    text: 'memory in the second half of 10,000 turns against the first',
    sense: 'at most',
    must: 1.1,
    aim: 1.1,
    of: asked('memory'),
    against: asked('memory, first half'),
  },
  shown('conversation', 300, 100),
  shown('conversation of many events', 300, 100),
  ...lists.map((of) => shown(of, 500, 100)),
  shown('now', 500, 100),
  ...painted('a conversation', 300),
  ...painted('a list', 500),
  {
    job: 'start',
    text: 'second npm start to ready against the bare broker and mongod',
    sense: 'at most',
    must: 1.4,
    aim: 1.4,
    of: { case: 'to ready', who: 'bridge: second npm start', metric: 'time' },
    against: { case: 'to ready', who: 'bare broker and mongod', metric: 'time' },
  },
]

const valuesOf = (results: ReadonlyArray<Result>, job: string, figure: Figure): ReadonlyArray<number> =>
  results
    .find((result) => result.job === job)
    ?.measurements.find((m) => m.case === figure.case && m.who === figure.who && m.metric === figure.metric)?.values ??
  []

/** A value for each round; empty if the figure was not measured. */
export const reached = (results: ReadonlyArray<Result>, { job, of, against }: Goal): ReadonlyArray<number> => {
  const values = valuesOf(results, job, of)
  return against === undefined ? values : ratios(values, valuesOf(results, job, against)).filter(Number.isFinite)
}

export type Verdict = 'reaches the aim' | 'reaches the must' | 'behind' | 'misses the aim'

export const verdictOf = ({ sense, must, aim }: Goal, median: number): Verdict => {
  const meets = (bound: number) => (sense === 'at least' ? median >= bound : median <= bound)
  if (meets(aim)) return 'reaches the aim'
  if (must === undefined) return 'misses the aim'
  return meets(must) ? 'reaches the must' : 'behind'
}
