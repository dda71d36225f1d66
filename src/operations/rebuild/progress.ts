import cliProgress from 'cli-progress'
import { audit, botReplies, quarantine, type TopicName } from '../../../contracts/topics.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'

/** By `<topic>/<partition>`: the offset before which everything is taken in. */
export type Positions = ReadonlyMap<string, number>

/** How far a partition is replayed: the first offset that its log has, the next one to take in, and the log's end. */
type Place = { readonly first: number; readonly position: number; readonly end: number }
export type Places = ReadonlyMap<string, Place>

/** Where each partition's log begins and ends. */
export type Logs = ReadonlyMap<string, { readonly low: number; readonly high: number }>

/** Topics whose records go after a time, as their clean-up says. */
export const isTemporary = (source: string) =>
  [botReplies, audit, quarantine].some(({ name }) => source.startsWith(`${name}/`))

/** Of temporary topics only what is left counts. Others have a gap where the log begins beyond the position. */
export const placesOf = (logs: Logs, positions: Positions): Places =>
  new Map(
    [...logs].map(([source, { low, high }]) => {
      const position = positions.get(source) ?? 0
      return [source, { first: low, position: isTemporary(source) ? Math.max(low, position) : position, end: high }]
    }),
  )

/** A place and since when it has been the same, in milliseconds of a monotonic clock. */
export type Watched = Place & { readonly since: number }

export const sourceOf = (topic: TopicName, partition: number): string => `${topic}/${partition}`
export const topicIn = (source: string): string => source.slice(0, source.lastIndexOf('/'))

/** The places at a time, each with the time since which neither its position nor its end has moved. */
export const watch = (
  before: ReadonlyMap<string, Watched>,
  places: Places,
  now: number,
): ReadonlyMap<string, Watched> =>
  new Map(
    [...places].map(([source, place]) => {
      const last = before.get(source)
      const stands = last !== undefined && last.position === place.position && last.end === place.end
      return [source, { ...place, since: stands ? last.since : now }]
    }),
  )

const stillMs = 2_000

/**
 * Whether everything that was there has been taken in. The bridge's own topics hold records alone, so their positions reach
 * their ends. Others write bot-replies, maybe in transactions, whose markers take up offsets and are never read: there a
 * place that has stood still for two seconds is at its end.
 */
export const isReached = (places: ReadonlyMap<string, Watched>, now: number): boolean =>
  [...places].every(
    ([source, { position, end, since }]) =>
      position >= end || (source.startsWith(`${botReplies.name}/`) && now - since >= stillMs),
  )

/** The partitions of event topics that have lost their first records, and of which the archive has nothing. */
export const cutOff = (logs: Logs, archives: Logs = new Map()): ReadonlyArray<string> =>
  [...logs].flatMap(([source, { low }]) => {
    const archive = archives.get(`archive-${source}`)
    const isArchived = archive !== undefined && archive.low < archive.high
    return low > 0 && !isTemporary(source) && !isArchived ? [source] : []
  })

/** Where the logs of the topics begin and end, as of a time after the call. */
export const readLogs = async (
  { ranges }: Pick<KafkaRoom, 'ranges'>,
  topics: ReadonlyArray<TopicName>,
): Promise<Logs> => {
  const all = await Promise.all(topics.map(async (topic) => [topic, await ranges(topic)] as const))
  return new Map(
    all.flatMap(([topic, partitions]) =>
      [...partitions].map(([partition, range]) => [sourceOf(topic, partition), range] as const),
    ),
  )
}

/** What a group has committed. */
export const readCommitted = async (
  { committedOffsets }: Pick<KafkaRoom, 'committedOffsets'>,
  group: string,
  topics: ReadonlyArray<TopicName>,
): Promise<Positions> => {
  const all = await Promise.all(topics.map(async (topic) => [topic, await committedOffsets(group, topic)] as const))
  return new Map(
    all.flatMap(([topic, partitions]) =>
      [...partitions].map(([partition, offset]) => [sourceOf(topic, partition), offset] as const),
    ),
  )
}

/** How much is done: records of the log, or whatever else is counted. */
export type Progress = { readonly done: number; readonly total: number }
/** A progress and its time, in milliseconds of a monotonic clock. */
type Sample = Progress & { readonly at: number }
/** What a second brings, and how many seconds are left; undefined while that cannot be known. */
type Pace = { readonly perSecond: number | undefined; readonly secondsLeft: number | undefined }

const windowMs = 10_000

export const progressOf = (places: Places): Progress => {
  let done = 0
  let total = 0
  for (const { first, position, end } of places.values()) {
    done += Math.min(Math.max(position, first), end) - first
    total += end - first
  }
  return { done, total }
}

/** The samples of the last ten seconds, and this one. */
export const addSample = (samples: ReadonlyArray<Sample>, sample: Sample): ReadonlyArray<Sample> => [
  ...samples.filter(({ at }) => sample.at - at <= windowMs),
  sample,
]

/** The pace of the samples, which are in the order of their times. */
export const paceOf = (samples: ReadonlyArray<Sample>): Pace => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at === first.at)
    return { perSecond: undefined, secondsLeft: undefined }
  const perSecond = ((last.done - first.done) * 1000) / (last.at - first.at)
  const left = Math.max(0, last.total - last.done)
  return { perSecond, secondsLeft: left === 0 ? 0 : perSecond > 0 ? left / perSecond : undefined }
}

/** Shows how far something is: `what` is done, counted in `unit`. */
export type ShowProgress = (what: string, unit: string) => Shown
type Shown = {
  /** With what keeps it from going on, if anything does. */
  readonly at: (progress: Progress, trouble?: string) => void
  readonly end: () => void
}

const count = (value: number) => Math.round(value).toLocaleString('en')

/** `1 h 02 min`, `3 min 20 s`, `7 s`. */
const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  const [h, min, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  if (h > 0) return `${h} h ${String(min).padStart(2, '0')} min`
  return min > 0 ? `${min} min ${String(s).padStart(2, '0')} s` : `${s} s`
}

/** `1,200 of 4,800 records, 400/s, 9 s left`. */
export const progressText = (samples: ReadonlyArray<Sample>, unit: string): string => {
  const { done, total } = samples.at(-1) ?? { done: 0, total: 0 }
  const { perSecond, secondsLeft } = paceOf(samples)
  return [
    `${count(done)} of ${count(total)} ${unit}`,
    ...(perSecond === undefined ? [] : [`${count(perSecond)}/s`]),
    ...(secondsLeft === undefined ? [] : [`${duration(secondsLeft)} left`]),
  ].join(', ')
}

/** Keeps the samples, and draws each with its text. */
const following = (
  unit: string,
  clock: () => number,
  draw: (progress: Progress, text: string, isLast: boolean) => void,
): Shown => {
  let samples: ReadonlyArray<Sample> = []
  let text = ''
  return {
    at: (progress, trouble) => {
      samples = addSample(samples, { ...progress, at: clock() })
      text = `${progressText(samples, unit)}${trouble === undefined ? '' : ` (waits: ${trouble})`}`
      draw(progress, text, false)
    },
    end: () => {
      const last = samples.at(-1)
      if (last !== undefined) draw(last, text, true)
    },
  }
}

/** A bar on a terminal. */
export const progressBar =
  (stream: NodeJS.WriteStream, clock: () => number): ShowProgress =>
  (what, unit) => {
    const format = `${what}  {bar} {percentage} %  {text}`
    const bar = new cliProgress.SingleBar(
      { format, stream, gracefulExit: false, emptyOnZero: false },
      cliProgress.Presets.shades_classic,
    )
    return following(unit, clock, ({ done, total }, text, isLast) => {
      if (!bar.isActive) bar.start(total, done, { text })
      bar.setTotal(total)
      bar.update(done, { text })
      if (isLast) bar.stop()
    })
  }

const sayEveryMs = 5_000

/** A line now and then where there is no terminal. */
export const progressLines =
  (say: (line: string) => void, clock: () => number): ShowProgress =>
  (what, unit) => {
    let saidAt = Number.NEGATIVE_INFINITY
    return following(unit, clock, (_, text, isLast) => {
      if (!isLast && clock() - saidAt < sayEveryMs) return
      saidAt = clock()
      say(`${what}  ${text}`)
    })
  }
