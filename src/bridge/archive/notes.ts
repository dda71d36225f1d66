import * as E from 'fp-ts/lib/Either.js'
import { enrichments } from '../../../contracts/topics.ts'
import type { Append } from '../domain/log/record.ts'
import type { Log } from '../shared/log.ts'
import { dayMs } from '../shared/time.ts'
import { type Upkeep, upkeep } from './upkeep.ts'

type Deps = Upkeep & {
  readonly days: number
  /** The keys of the notes of chats without an event since then. */
  readonly oldNotes: (before: Date) => AsyncIterable<string>
  readonly append: Append
  /** The time in ms, as the servers have it. Rejects if their clocks do not agree. */
  readonly now: () => Promise<number>
  readonly log: Pick<Log, 'info'>
}

const appendWithinMs = 30_000

/**
 * Removes the note of each chat that has been over for the retention time, every six hours: topic and collection keep
 * the newest record of a key for ever otherwise. Returns a function that stops it.
 */
export const removeOldNotes = ({ days, oldNotes, append, now, ...deps }: Deps) => {
  const remove = async (signal: AbortSignal) => {
    const before = new Date((await now()) - days * dayMs)
    let removed = 0
    for await (const key of oldNotes(before)) {
      if (signal.aborted) return
      const appended = await append({ topic: enrichments.name, key, value: null, headers: {} }, appendWithinMs)
      if (E.isLeft(appended)) throw new Error(appended.left.reason)
      removed += 1
    }
    if (removed > 0) deps.log.info({ notes: removed }, 'notes of chats that have been over for long were removed')
  }
  return upkeep(remove, 'old notes of chats could not be removed', deps)
}
