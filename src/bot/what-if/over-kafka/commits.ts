import { repeat } from '../../../bridge/shared/repeat.ts'
import { sleep } from '../../../bridge/shared/time.ts'

/** A record of the bot's topic. */
export type Place = { readonly partition: number; readonly offset: number }

/** The record that the bot must commit, and what is called then or too late. */
type Waiting = Place & {
  readonly done: (isCommitted: boolean) => void
  readonly until: number
}

const checkEveryMs = 100
/** In ms: so long the first message waits for a bot that starts. */
const startWithinMs = 120_000
/** In ms, beyond twice `replyWithin`: a bot that announces its answer has twice the time. */
const graceMs = 5_000

/** In ms: so long a bot has for a turn. A bot that is still starting is not slow. */
export const turnWithinMs = (hasCommitted: boolean, replyWithin: number): number =>
  hasCommitted ? 2 * replyWithin + graceMs : startWithinMs

export const committedOf = <P extends Place>(places: Iterable<P>, committed: ReadonlyMap<number, number>) =>
  [...places].filter(({ partition, offset }) => (committed.get(partition) ?? 0) > offset)

/** Follows what the bot has committed. */
export const followCommits = ({
  committed,
  readReplies,
  replyWithin,
  signal,
}: {
  /** The next offset of each partition that the bot would read after a restart. */
  readonly committed: () => Promise<ReadonlyMap<number, number>>
  /** Resolves when everything is read that the bot had published at the call. */
  readonly readReplies: () => Promise<void>
  /** In ms. */
  readonly replyWithin: number
  readonly signal: AbortSignal
}) => {
  const waiting = new Set<Waiting>()
  let firstCommitAt: number | undefined

  const check = async () => {
    const now = await committed()
    if (now.size > 0) firstCommitAt ??= Date.now()
    const due = committedOf(waiting, now)
    if (due.length > 0) await readReplies()
    for (const each of due) each.done(true)
  }
  const stop = repeat(async () => {
    if (waiting.size > 0) {
      // If Kafka is unavailable for a moment, whoever waits too long says so.
      await check().catch(() => undefined)
      for (const each of waiting) if (signal.aborted || performance.now() > each.until) each.done(false)
    }
    return checkEveryMs
  }, sleep)
  return {
    /** In ms since 1970. No turn is timed from before that. */
    firstCommitAt: () => firstCommitAt,
    /** True when the bot has committed the record, and its replies until then are read. False if it takes too long. */
    isCommitted: (place: Place): Promise<boolean> =>
      new Promise((resolve) => {
        const one: Waiting = {
          ...place,
          until: performance.now() + turnWithinMs(firstCommitAt !== undefined, replyWithin),
          done: (isCommitted) => {
            waiting.delete(one)
            resolve(isCommitted)
          },
        }
        waiting.add(one)
      }),
    stop,
  }
}
