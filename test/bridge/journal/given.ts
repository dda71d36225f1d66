import { open } from 'node:fs/promises'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../../contracts/primitives.ts'
import { topics } from '../../../contracts/topics.ts'
import type { Failure, OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import type { OpenFile } from '../../../src/bridge/journal/files.ts'
import { type Journal, type JournalOptions, openJournal } from '../../../src/bridge/journal/journal.ts'
import type { Log } from '../../../src/bridge/shared/log.ts'

export const noon = '2026-01-31T12:00:00.000Z' as Instant

export const recordOf = (id: number, key = 'acme/1', size = 0): OutgoingRecord => ({
  topic: 'chats',
  key,
  value: `${id}${'x'.repeat(size)}`,
  headers: { ce_id: String(id) },
})
export const idOf = ({ headers }: OutgoingRecord): number => Number(headers.ce_id)

const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array))
const text = fc.string({ unit: 'grapheme', maxLength: 40 })

export const anyRecord: fc.Arbitrary<OutgoingRecord> = fc.record(
  {
    topic: fc.constantFrom(...topics.map(({ name }) => name)),
    key: fc.oneof(text, bytes, fc.constant(null)),
    value: fc.oneof(text, bytes, fc.constant(null)),
    headers: fc.dictionary(text, fc.oneof(text, bytes), { maxKeys: 4, noNullPrototype: true }),
  },
  { noNullPrototype: true },
)

export type Line = { readonly level: keyof Log; readonly fields: object; readonly message: string }

export const recordingLog = () => {
  const lines: Line[] = []
  const at = (level: keyof Log) => (fields: object, message: string) => {
    lines.push({ level, fields, message })
  }
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { log, lines, levels: () => lines.map(({ level }) => level) }
}

/** For tests without power cuts: real files, without waiting for the disk. */
export const unsynced: OpenFile = async (path, flags) => {
  const handle = await open(path, flags)
  return {
    write: handle.write.bind(handle),
    truncate: handle.truncate.bind(handle),
    close: handle.close.bind(handle),
    datasync: async () => undefined,
  }
}

export const right = <A>(either: E.Either<Pick<Failure, 'reason'>, A>): A => {
  if (E.isLeft(either)) throw new Error(either.left.reason)
  return either.right
}

export const openAt = async (dir: string, options: Partial<JournalOptions> = {}): Promise<Journal> =>
  right(
    await openJournal({
      dir,
      maxBytes: 1024 * 1024,
      now: () => noon,
      log: recordingLog().log,
      openFile: unsynced,
      ...options,
    }),
  )

export const append = async (journal: Journal, records: ReadonlyArray<OutgoingRecord>): Promise<void> => {
  for (const outcome of await Promise.all(records.map(journal.append))) right(outcome)
}

/** Drains the journal and returns its records in their order. */
export const drainAll = async (journal: Journal, most = 7): Promise<ReadonlyArray<OutgoingRecord>> => {
  const records: OutgoingRecord[] = []
  for (;;) {
    const entries = right(await journal.peek(most))
    const last = entries.at(-1)
    if (last === undefined) return records
    records.push(...entries.map(({ record }) => record))
    right(await journal.drained(last.position))
  }
}
