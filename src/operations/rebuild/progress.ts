import cliProgress from 'cli-progress'
import { archiveNameOf, audit, botReplies, quarantine, type TopicName } from '../../../contracts/topics.ts'
import type { OffsetRange } from '../../domain/ports.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'

/** By `<topic>/<partition>`: the offset before which everything is processed. */
export type Positions = ReadonlyMap<string, number>

/** The progress in a partition: the first offset of its log, the next one to process, and the log's end. */
type Place = { readonly first: number; readonly position: number; readonly end: number }
export type Places = ReadonlyMap<string, Place>

/** Where each partition's log begins and ends. */
export type Logs = ReadonlyMap<string, OffsetRange>

/** Topics whose clean-up policy deletes records after a time. */
export const isTemporary = (source: string) =>
  [botReplies, audit, quarantine].some(({ name }) => source.startsWith(`${name}/`))

/** In temporary topics, deleted records do not count. In others, a log that begins beyond the position has a gap. */
export const placesOf = (logs: Logs, positions: Positions): Places =>
  new Map(
    [...logs].map(([source, { low, high }]) => {
      const position = positions.get(source) ?? 0
      return [source, { first: low, position: isTemporary(source) ? Math.max(low, position) : position, end: high }]
    }),
  )

/** A place, and since when it is unchanged, in milliseconds of a monotonic clock. */
export type Watched = Place & { readonly since: number }

export const sourceOf = (topic: TopicName, partition: number): string => `${topic}/${partition}`
export const topicIn = (source: string): string => source.slice(0, source.lastIndexOf('/'))

/** The places, each with the time since which its position and its end are unchanged. */
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
 * True if everything that was in the logs is processed. The bridge's own topics have records only, so positions reach
 * the ends. Others write bot-replies, maybe in transactions. Transaction markers take offsets and are never read. So in
 * bot-replies a place that is unchanged for two seconds counts as the end.
 */
export const isReached = (places: ReadonlyMap<string, Watched>, now: number): boolean =>
  [...places].every(
    ([source, { position, end, since }]) =>
      position >= end || (source.startsWith(`${botReplies.name}/`) && now - since >= stillMs),
  )

/** The partitions of event topics that have lost their first records and have nothing in the archive. */
export const cutOff = (logs: Logs, archives: Logs = new Map()): ReadonlyArray<string> =>
  [...logs].flatMap(([source, { low }]) => {
    const archive = archives.get(archiveNameOf(source))
    const isArchived = archive !== undefined && archive.low < archive.high
    return low > 0 && !isTemporary(source) && !isArchived ? [source] : []
  })

/** What `read` says of each partition of the topics. */
const ofPartitions = async <A>(
  topics: ReadonlyArray<TopicName>,
  read: (topic: TopicName) => Promise<ReadonlyMap<number, A>>,
): Promise<ReadonlyMap<string, A>> => {
  const all = topics.map(async (topic) =>
    [...(await read(topic))].map(([partition, value]) => [sourceOf(topic, partition), value] as const),
  )
  return new Map((await Promise.all(all)).flat())
}

/** Where the logs of the topics begin and end, read after the call. */
export const readLogs = ({ ranges }: Pick<KafkaPorts, 'ranges'>, topics: ReadonlyArray<TopicName>): Promise<Logs> =>
  ofPartitions(topics, ranges)

/** What a group has committed. */
export const committedPositions = (
  { committedOffsets }: Pick<KafkaPorts, 'committedOffsets'>,
  group: string,
  topics: ReadonlyArray<TopicName>,
): Promise<Positions> => ofPartitions(topics, (topic) => committedOffsets(group, topic))

/** How much is done, in records of the log or in other units. */
export type Progress = { readonly done: number; readonly total: number }
/** A progress and its time, in milliseconds of a monotonic clock. */
type Sample = Progress & { readonly at: number }
/** The rate per second and the seconds left; undefined while unknown. */
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

/** The pace of the samples, which are ordered by time. */
export const paceOf = (samples: ReadonlyArray<Sample>): Pace => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at === first.at)
    return { perSecond: undefined, secondsLeft: undefined }
  const perSecond = ((last.done - first.done) * 1000) / (last.at - first.at)
  const left = Math.max(0, last.total - last.done)
  return { perSecond, secondsLeft: left === 0 ? 0 : perSecond > 0 ? left / perSecond : undefined }
}

/** Shows the progress of `what`, counted in `unit`. */
export type ShowProgress = (what: string, unit: string) => Shown
type Shown = {
  /** `trouble`: what the work waits for, if anything. */
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

/** Keeps the samples and draws each one with its text. */
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

/** A line every few seconds, where there is no terminal. */
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
