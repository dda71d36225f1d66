import type { PartitionReader } from './reader.ts'
import { nameOf } from './readers.ts'

/** What a consumer has shown of itself, in milliseconds of a monotonic clock. */
export type Signs = {
  readonly startedAt: number
  /** Undefined until it has joined its group and knows where to begin. */
  readonly readyAt: number | undefined
  /** The last time that the group's coordinator answered as to a member. */
  readonly contactAt: number
  /** When the oldest fetch that is not answered began, or else the last one ended. */
  readonly fetchAt: number
  /** Since when commits fail, if they do. */
  readonly commitFailsSince: number | undefined
}

/** The coordinator forgets a member after this; a little earlier the member ceases to trust that it is one. */
export const sessionTimeoutMs = 12_000
const membershipMs = 10_000

export const isMember = ({ contactAt }: Signs, now: number): boolean => now - contactAt < membershipMs

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`

/** Why the consumer is of no use any more and has to be made anew, if it has. */
export const brokenBy = (signs: Signs, now: number): string | undefined => {
  if (signs.readyAt === undefined)
    return now - signs.startedAt > 45_000 ? `has not joined within ${seconds(now - signs.startedAt)}` : undefined
  if (!isMember(signs, now)) return `no word from the group's coordinator for ${seconds(now - signs.contactAt)}`
  return now - signs.fetchAt > 15_000 ? `no fetch was answered for ${seconds(now - signs.fetchAt)}` : undefined
}

const handlerTrouble = (reader: Handling, now: number): string | undefined => {
  const { trouble, busySince } = { trouble: reader.trouble(), busySince: reader.busySince() }
  if (trouble !== undefined && now - trouble.since > 5_000)
    return `${nameOf(reader)}: its handler fails for ${seconds(now - trouble.since)} (${trouble.error})`
  return busySince !== undefined && now - busySince > 30_000
    ? `${nameOf(reader)}: its handler does not end for ${seconds(now - busySince)}`
    : undefined
}

type Handling = Pick<PartitionReader, 'topic' | 'partition' | 'trouble' | 'busySince'>

/** What keeps the consumer from its work for some seconds now, if anything does. */
export const troubleOf = (signs: Signs, now: number, readers: ReadonlyArray<Handling>): string | undefined => {
  if (signs.readyAt === undefined) return 'has not joined its group yet'
  if (now - signs.contactAt > 7_000) return `no word from the group's coordinator for ${seconds(now - signs.contactAt)}`
  if (now - signs.fetchAt > 7_000) return `no fetch was answered for ${seconds(now - signs.fetchAt)}`
  for (const reader of readers) {
    const trouble = handlerTrouble(reader, now)
    if (trouble !== undefined) return trouble
  }
  const failsFor = signs.commitFailsSince === undefined ? 0 : now - signs.commitFailsSince
  return failsFor > 7_000 ? `offsets cannot be committed for ${seconds(failsFor)}` : undefined
}
