import { botReplies, type TopicName } from '../../../contracts/topics.ts'

/** By `<topic>/<partition>`: the offset before which everything is taken in. */
export type Positions = ReadonlyMap<string, number>

/** How far a partition is replayed: the first offset that its log has, the next one to take in, and the log's end. */
export type Place = { readonly first: number; readonly position: number; readonly end: number }
export type Places = ReadonlyMap<string, Place>

/** Where each partition's log begins and ends. */
export type Logs = ReadonlyMap<string, { readonly low: number; readonly high: number }>

export const placesOf = (logs: Logs, positions: Positions): Places =>
  new Map(
    [...logs].map(([source, { low, high }]) => [
      source,
      { first: low, position: Math.max(low, positions.get(source) ?? low), end: high },
    ]),
  )

/** A place and since when it has been the same, in milliseconds of a monotonic clock. */
export type Watched = Place & { readonly since: number }

export const sourceOf = (topic: TopicName, partition: number): string => `${topic}/${partition}`

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

/** The partitions of topics that are kept for ever, and have lost their first records all the same. */
export const cutOff = (logs: Logs): ReadonlyArray<string> =>
  [...logs].flatMap(([source, { low }]) => (low > 0 && !source.startsWith(`${botReplies.name}/`) ? [source] : []))
