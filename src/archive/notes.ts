import * as E from 'fp-ts/lib/Either.js'
import { enrichments } from '../../contracts/topics.ts'
import type { Append, Log, Sleep } from '../domain/ports.ts'
import { dayMs } from '../shared/time.ts'

type Deps = {
  readonly days: number
  /** The keys of the notes of chats without an event since then. */
  readonly oldNotes: (before: Date) => AsyncIterable<string>
  readonly append: Append
  /** The time in ms, as the servers have it. Rejects if their clocks do not agree. */
  readonly now: () => Promise<number>
  readonly sleep: Sleep
  readonly reasonOf: (error: unknown) => string
  readonly log: Pick<Log, 'debug' | 'info'>
}

const everyMs = 6 * 60 * 60 * 1000
const againMs = 60_000
const appendWithinMs = 30_000

/**
 * Removes the note of each chat that has been over for the retention time, every six hours: topic and collection keep
 * the newest record of a key for ever otherwise. Returns a function that stops it.
 */
export const removeOldNotes = ({ days, oldNotes, append, now, sleep, reasonOf, log }: Deps) => {
  const stopping = new AbortController()
  const remove = async () => {
    const before = new Date((await now()) - days * dayMs)
    let removed = 0
    for await (const key of oldNotes(before)) {
      if (stopping.signal.aborted) return
      const appended = await append({ topic: enrichments.name, key, value: null, headers: {} }, appendWithinMs)
      if (E.isLeft(appended)) throw new Error(appended.left.reason)
      removed += 1
    }
    if (removed > 0) log.info({ notes: removed }, 'notes of chats that have been over for long were removed')
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      const failed = await remove().then(() => undefined, reasonOf)
      if (failed !== undefined) log.debug({ reason: failed }, 'old notes of chats could not be removed')
      await sleep(failed === undefined ? everyMs : againMs, stopping.signal)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
