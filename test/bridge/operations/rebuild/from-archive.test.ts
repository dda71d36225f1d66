import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Content } from '../../../../src/bridge/archive/restore.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { readArchive } from '../../../../src/bridge/operations/rebuild/from-archive.ts'

const reading = suite('a rebuild reads the archive')

const record = (offset: number, value = 'x'): IncomingRecord => ({
  topic: 'chats',
  partition: 0,
  offset,
  timestamp: 0,
  key: null,
  headers: {},
  value: Buffer.from(value),
})
const event = (offset: number): Content => ({ kind: 'record', record: record(offset), topicId: 'g' })
/** A record of a topic that was deleted before the current one was created. */
const earlier = (offset: number): Content => ({ kind: 'record', record: record(offset), topicId: 'before' })
const archivedAs = (offset: number, found: Content): IncomingRecord => {
  if (found.kind === 'corrupt') return batchRecord(1, offset)
  if (found.topicId !== 'before') return { ...record(offset), headers: {} }
  const place = { archive_partition: Buffer.from('0'), archive_offset: Buffer.from(`${found.record.offset}`) }
  const headers = { ...place, archive_generation: Buffer.from('before') }
  return { ...record(offset), topic: 'archive-chats', headers }
}
const lost = (offset: number): Content => ({ kind: 'lost', record: record(offset), topicId: 'g', detail: 'lost' })
const inEpoch = (offset: number, epoch: number): Content => ({
  kind: 'record',
  record: { ...record(offset), epoch },
  topicId: 'g',
})
const corrupt: Content = { kind: 'corrupt', detail: 'headers: expected a partition and an offset' }

/** A record of the archive whose headers say this offset. */
const archivedFrom = (offset: number): IncomingRecord => ({
  ...record(offset),
  topic: 'archive-chats',
  headers: { archive_partition: Buffer.from('0'), archive_offset: Buffer.from(`${offset}`) },
})

/** A batch from `first` to `last` as a broker stores it, but only with the offsets of its header. */
const batchRecord = (first: number, last: number): IncomingRecord => {
  const value = Buffer.alloc(61)
  value.writeBigInt64BE(BigInt(first), 0)
  value.writeInt32BE(last - first, 23)
  return { ...record(last), value }
}
const batch = (first: number, last: number): Content => ({
  kind: 'record',
  record: batchRecord(first, last),
  topicId: 'g',
})

/** The topic contains only the end of its log. The archive contains these records, each at its offset there. */
const read = async (
  archive: ReadonlyArray<readonly [offset: number, found: Content]>,
  end: number,
  hasKeys = true,
  lastOf?: number,
  { former, reached = 0, allowGaps = false }: { former?: string; reached?: number; allowGaps?: boolean } = {},
) => {
  const positions = new Map([['chats/0', 0]])
  const folded: Array<number | string> = []
  const letters: string[] = []
  const deps = {
    kafka: {
      ranges: async (topic: string) =>
        new Map([[0, topic === 'chats' ? { low: end, high: end } : { low: 0, high: archive.length }]]),
      fetchRecord: async () => (lastOf === undefined ? undefined : archivedFrom(lastOf)),
      topicIds: async () => new Map([['chats', 'g'] as const]),
      deadLetter: () => async (_: IncomingRecord, cause: string) => void letters.push(cause),
      readTopic: async (
        _: string,
        take: (records: ReadonlyArray<IncomingRecord>) => Promise<void>,
        options?: { readonly part?: (partition: number, range: { low: number; high: number }) => unknown },
      ) => {
        options?.part?.(0, { low: 0, high: (archive.at(-1)?.[0] ?? 0) + 1 })
        for (const [offset, found] of archive) await take([archivedAs(offset, found)])
        return E.right(undefined)
      },
    },
    restore: hasKeys
      ? async ([archived]: ReadonlyArray<IncomingRecord>) =>
          archive.flatMap(([offset, found]) => (offset === archived?.offset ? [{ archived, ...found }] : []))
      : undefined,
    positions,
    inViews: async () => ({ id: former, reached: new Map([[0, { offset: reached }]]) }),
    allowGaps,
    signal: new AbortController().signal,
    fold: async ({ records }: { readonly records: ReadonlyArray<IncomingRecord> }) =>
      void folded.push(...records.map(({ topic, offset }) => (topic === 'chats' ? offset : `${topic}/${offset}`))),
    setTo: (source: string, offset: number) => void positions.set(source, offset),
    skipTo: (source: string, offset: number) => void positions.set(source, offset),
  }
  const failed = await readArchive(deps, ['chats']).then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { folded, letters, failed, position: positions.get('chats/0') }
}

type Archive = Parameters<typeof read>[0]
/** What is folded of an archive, and the dead letters. The topic continues at `end`, and so does the rebuild. */
const whole: ReadonlyArray<
  readonly [what: string, archive: Archive, end: number, folded: ReadonlyArray<number | string>, letters: string[]]
> = [
  [
    'continues after an unreadable batch: it becomes a dead letter, and as many records as it had may be missing',
    [
      [0, event(0)],
      [3, corrupt],
      [4, event(4)],
    ],
    5,
    [0, 4],
    ['corrupt'],
  ],
  [
    'continues after an unreadable batch at the end of the archive',
    [
      [0, event(0)],
      [3, corrupt],
    ],
    4,
    [0],
    ['corrupt'],
  ],
  [
    'continues after a batch that was unreadable when it was archived',
    [
      [0, event(0)],
      [1, batch(1, 3)],
      [2, event(4)],
    ],
    5,
    [0, 3, 4],
    [],
  ],
  [
    'starts with the records of deleted topics of that name, each once, if the archive has them',
    [
      [0, earlier(5)],
      [1, earlier(5)],
      [2, earlier(6)],
      [3, event(0)],
      // A process that was frozen has archived this record late.
      [4, earlier(7)],
      [5, event(1)],
    ],
    2,
    ['archive-chats/0', 'archive-chats/2', 'archive-chats/4', 0, 1],
    [],
  ],
  ['starts with them also if the current topic has all its own records', [[0, earlier(5)]], 0, ['archive-chats/0'], []],
  [
    'prefers the copy of a record that can be read, and folds no later record before it',
    [
      [0, event(0)],
      [1, lost(1)],
      [2, event(2)],
      [3, lost(3)],
      // The archiver has archived these again, was killed, and then has archived all of them again.
      [4, event(1)],
      [5, event(2)],
      [6, event(1)],
      [7, event(2)],
      [8, event(3)],
      [9, event(4)],
    ],
    5,
    [0, 1, 2, 3, 4],
    [],
  ],
  [
    'folds records that the topic has lost before those that got their offsets later',
    [
      [0, inEpoch(0, 4)],
      [1, inEpoch(1, 4)],
      [2, inEpoch(2, 4)],
      [3, inEpoch(1, 6)],
      [4, inEpoch(1, 4)],
      [5, inEpoch(2, 6)],
    ],
    3,
    [0, 1, 2, 1, 2],
    [],
  ],
]
for (const [what, archive, end, folded, letters] of whole)
  reading(what, async () => {
    assert.equal(await read(archive, end), { folded, letters, failed: undefined, position: end })
  })

reading('starts with them too if a copy of the archive was restored behind newer records', async () => {
  const archive = [
    [0, event(0)],
    [1, earlier(5)],
    [2, earlier(6)],
    [3, event(1)],
  ] as const
  assert.equal((await read(archive, 2, true, 1)).folded, ['archive-chats/1', 'archive-chats/2', 0, 1])
  assert.match(`${(await read(archive, 0, false, 1)).failed}`, 'only in the archive, and ARCHIVE_KEY_FILE is not set')
})

reading('stops if more records are missing than that', async () => {
  const { failed } = await read(
    [
      [0, event(0)],
      [3, corrupt],
      [4, event(5)],
    ],
    6,
  )
  assert.match(String(failed), /the records from 1 to 4 are neither in the topic nor in the archive/)
  const { failed: other } = await read(
    [
      [0, event(0)],
      [1, batch(2, 3)],
    ],
    4,
  )
  assert.match(String(other), /the records from 1 to 1 are neither/)
})

reading('stops at a record that nobody can read and that its topic does not have any more', async () => {
  const archive = [
    [0, event(0)],
    [1, lost(1)],
    [2, event(2)],
  ] as const
  const { folded, failed } = await read(archive, 3)
  assert.equal([folded, failed], [[0], 'lost'])
})

reading('stops if the views have records of a deleted topic that the archive lacks, unless it is forced', async () => {
  const archive = [
    [0, earlier(5)],
    [1, earlier(6)],
  ] as const
  const all = { folded: ['archive-chats/0', 'archive-chats/1'], letters: [], failed: undefined, position: 0 }
  assert.equal(await read(archive, 0, true, undefined, { former: 'before', reached: 7 }), all)
  const { failed } = await read(archive, 0, true, undefined, { former: 'before', reached: 9 })
  assert.match(`${failed}`, 'chats/0 of the deleted topic: the records from 7 to 8 are neither in the topic nor in the')
  assert.equal(await read(archive, 0, true, undefined, { former: 'before', reached: 9, allowGaps: true }), all)
  const { failed: nothing } = await read([], 0, false, undefined, { former: 'before', reached: 9 })
  assert.match(`${nothing}`, 'the records from 0 to 8 are neither in the topic nor in the archive')
  assert.is((await read([], 0, false, undefined, { former: 'g', reached: 9 })).failed, undefined)
})

reading('reports missing keys if it cannot decrypt records', async () => {
  const { failed } = await read([[0, earlier(5)]], 0, false)
  assert.is(failed, 'chats: its first records are only in the archive, and ARCHIVE_KEY_FILE is not set')
})

reading.run()
