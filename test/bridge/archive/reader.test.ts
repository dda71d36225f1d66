import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { archiveReader } from '../../../src/bridge/archive/reader.ts'
import type { Content, Restored } from '../../../src/bridge/archive/restore.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'

const reading = suite('the reader of an archive')

const record = (offset: number, epoch: number): IncomingRecord => ({
  topic: 'chats',
  partition: 0,
  offset,
  epoch,
  timestamp: 0,
  key: null,
  headers: {},
  value: null,
})
const event = (offset: number, epoch = 0, topicId = 'g'): Content => ({
  kind: 'record',
  record: record(offset, epoch),
  topicId,
})
const erased = (offset: number): Content => ({ kind: 'nothing', record: record(offset, 0), topicId: 'g' })
const lost = (offset: number, epoch = 0, topicId = 'g'): Content => ({
  kind: 'lost',
  record: record(offset, epoch),
  topicId,
  detail: `lost ${offset}`,
})
const corrupt: Content = { kind: 'corrupt', detail: 'corrupt' }

const nameOf = (found: Restored) =>
  found.kind === 'corrupt' ? found.kind : `${found.topicId} ${found.record.offset} ${found.record.epoch}`

/** Reads the archive in slices of so many records. */
const read = async (archive: ReadonlyArray<Content>, size: number, next?: number) => {
  const restore = async (slice: ReadonlyArray<IncomingRecord>) =>
    slice.map((archived) => ({ archived, ...(archive[archived.offset] ?? corrupt) }))
  const reader = next === undefined ? archiveReader(restore) : archiveReader(restore, () => next)
  const given: string[] = []
  for (let from = 0; from < archive.length; from += size) {
    const slice = archive.slice(from, from + size).map((_, i) => record(from + i, 0))
    given.push(...(await reader.read(slice)).map(nameOf))
  }
  return { given, missing: reader.missing().map(({ detail }) => detail) }
}

type Row = readonly [
  what: string,
  archive: ReadonlyArray<Content>,
  given: ReadonlyArray<string>,
  missing?: ReadonlyArray<string>,
  next?: number,
]
const rows: ReadonlyArray<Row> = [
  ['gives each record once', [event(0), event(1), event(0), event(1), event(2)], ['g 0 0', 'g 1 0', 'g 2 0']],
  ['gives the places of what is erased', [event(0), erased(1), erased(1)], ['g 0 0', 'g 1 0']],
  [
    'gives what is corrupt as it comes',
    [event(0), corrupt, event(1), corrupt],
    ['g 0 0', 'corrupt', 'g 1 0', 'corrupt'],
  ],
  ['begins where the caller wants', [event(0), event(1), event(2)], ['g 2 0'], [], 2],
  ['gives nothing behind a missing record', [event(0), lost(1), event(2)], ['g 0 0'], ['lost 1']],
  [
    'waits for the readable copy of a missing record, and of those behind it',
    [event(0), lost(1), event(2), lost(3), event(1), event(2), event(1), event(2), event(3)],
    ['g 0 0', 'g 1 0', 'g 2 0', 'g 3 0'],
  ],
  [
    'waits for the copy also if the log has a gap before it, and if it has a new leader behind it',
    [event(0), lost(3), event(4, 2), event(3), event(4, 2)],
    ['g 0 0', 'g 3 0', 'g 4 2'],
  ],
  ['asks for no copy of a record that it has given', [event(0), event(1), lost(0)], ['g 0 0', 'g 1 0']],
  [
    'gives what a log has lost before the records that got its offsets later',
    [event(0, 4), event(1, 4), event(2, 4), event(1, 6), event(1, 4), event(2, 6)],
    ['g 0 4', 'g 1 4', 'g 2 4', 'g 1 6', 'g 2 6'],
  ],
  [
    'gives no record of an older epoch behind those of a newer one: it was given before the log lost it',
    [event(0, 4), event(1, 6), event(5, 4)],
    ['g 0 4', 'g 1 6'],
  ],
  [
    'does not wait for a missing record that its log has lost',
    [event(0, 4), lost(1, 4), event(1, 6), event(2, 6)],
    ['g 0 4', 'g 1 6', 'g 2 6'],
  ],
  [
    'keeps the topics of a name apart',
    [event(0, 0, 'before'), lost(1, 0, 'before'), event(0), event(1)],
    ['before 0 0', 'g 0 0', 'g 1 0'],
    ['lost 1'],
  ],
]
for (const [what, archive, given, missing = [], next] of rows)
  reading(what, async () => {
    for (const size of [1, 2, archive.length]) assert.equal(await read(archive, size, next), { given, missing })
  })

/** An archiver that was killed begins again at any earlier record, or after the last record of the archive. */
const pass = fc.record({ from: fc.nat(12), count: fc.nat(12), lost: fc.uniqueArray(fc.nat(12)) })
reading('gives the whole log, however often it was archived, if the last copies can be read', () =>
  fc.assert(
    fc.asyncProperty(
      fc.nat(12),
      fc.array(pass, { maxLength: 6 }),
      fc.integer({ min: 1, max: 9 }),
      async (end, passes, size) => {
        let reached = 0
        const offsets = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
        const copies = passes.flatMap(({ from, count, lost: unreadable }) => {
          const [begin, until] = [Math.min(from, reached), Math.min(end, from + count)]
          if (until > begin) reached = until
          return offsets(begin, until).map((offset) => (unreadable.includes(offset) ? lost(offset) : event(offset)))
        })
        const whole = offsets(0, end).map((offset) => event(offset))
        assert.equal(await read([...copies, ...whole], size), {
          given: offsets(0, end).map((offset) => `g ${offset} 0`),
          missing: [],
        })
      },
    ),
  ),
)

reading.run()
