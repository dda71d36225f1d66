import { appendFileSync, existsSync, readFileSync, renameSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { headerSize } from '../../../src/bridge/journal/segment.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { append, drainAll, idOf, openAt, recordingLog, recordOf } from './given.ts'
import { damage, reopened, segmentsOf, three, written } from './segments.ts'

const damaged = suite('journal: damage')

damaged(
  'a byte flipped anywhere, even in the newest record, loses only that record, which is reported and set aside',
  async () => {
    const records = Array.from({ length: 8 }, (_, i) => recordOf(i + 1, 'acme/1', i * 3))
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const { dir, places } = await written(records, 300)
        const files = segmentsOf(dir)
        const file = files[at % files.length] ?? ''
        const original = readFileSync(join(dir, file))
        const place = at % original.length
        damage(join(dir, file), place, flip)
        const content = readFileSync(join(dir, file))
        const hit = places.findLastIndex((p) => p.file === file && p.offset <= place)
        // A byte of the header belongs to no record.
        const offset = place < headerSize ? 0 : (places[hit]?.offset ?? 0)
        const next = places[hit + 1]
        const end = place < headerSize ? headerSize : next?.file === file ? next.offset : content.length

        const after = await reopened(dir, 300)

        assert.equal(after.records, hit === -1 ? records : records.toSpliced(hit, 1))
        assert.equal(after.damaged, { places: 1, bytes: end - offset })
        assert.equal(
          after.lines.map(({ level }) => level),
          ['error'],
        )
        assert.equal(readFileSync(join(dir, 'damaged', `${file}-${offset}`)), content.subarray(offset, end))
      }),
      { numRuns: 60 },
    )
  },
)

damaged('damage is reported with its file, position and reason', async () => {
  const { dir, places } = await written(three)
  const [file = ''] = segmentsOf(dir)
  const offset = places[1]?.offset ?? 0
  const bytes = (places[2]?.offset ?? 0) - offset
  damage(join(dir, file), offset + 30, 1)
  const { lines } = await reopened(dir)
  assert.equal(lines, [
    {
      level: 'error',
      fields: { file, offset, bytes, reason: 'wrong checksum', copy: `damaged/${file}-${offset}` },
      message: 'the journal is damaged: reading continues after the damaged bytes',
    },
  ])
})

damaged('damage that happens while the journal is open is found by the reader', async () => {
  const dir = temporaryFolder()
  const { log, levels } = recordingLog()
  const journal = await openAt(dir, { log })
  await append(journal, three)
  damage(join(dir, segmentsOf(dir)[0] ?? ''), headerSize + 30, 1)
  assert.equal((await drainAll(journal)).map(idOf), [2, 3])
  assert.equal(levels(), ['error'])
  assert.is(journal.state().damaged.places, 1)
  assert.is(journal.state().records, 0)
  await journal.close()
})

damaged('a segment whose name cannot be read is set aside and reported', async () => {
  const { dir } = await written(three)
  const [file = ''] = segmentsOf(dir)
  const content = readFileSync(join(dir, file))
  renameSync(join(dir, file), join(dir, 'strange.segment'))
  const { records, damaged, lines } = await reopened(dir)
  assert.equal(records, [])
  assert.equal(damaged, { places: 1, bytes: content.length })
  assert.equal(
    lines.map(({ level }) => level),
    ['error'],
  )
  assert.equal(readFileSync(join(dir, 'damaged', 'strange.segment-0')), content)
  assert.not.ok(existsSync(join(dir, 'strange.segment')))
})

damaged('a damaged checkpoint is reported, and everything is drained again', async () => {
  const dir = temporaryFolder()
  const journal = await openAt(dir)
  await append(journal, three)
  await journal.peek(10)
  await journal.drained(2)
  await journal.close()
  damage(join(dir, 'checkpoint'), 8, 1)
  const { records, damaged } = await reopened(dir)
  assert.equal(records.map(idOf), [1, 2, 3])
  assert.is(damaged.places, 1)
})

damaged('records that were cut off from outside are reported, and are not treated as a torn tail', async () => {
  const { dir, bytes } = await written(three)
  const [file = ''] = segmentsOf(dir)
  truncateSync(join(dir, file), bytes - 1)
  const { records, damaged, lines } = await reopened(dir)
  assert.equal(records.map(idOf), [1, 2])
  assert.is(damaged.places, 2)
  assert.equal(
    lines.map(({ level, fields }) => [level, 'reason' in fields && fields.reason]),
    [
      ['error', 'incomplete'],
      ['error', 'the file is shorter than its acknowledged length'],
    ],
  )
})

damaged('with a damaged header no bytes are treated as a torn tail', async () => {
  const { dir } = await written(three)
  const [file = ''] = segmentsOf(dir)
  damage(join(dir, file), 9, 1)
  appendFileSync(join(dir, file), 'more')
  const { records, damaged, lines } = await reopened(dir)
  assert.equal(records.map(idOf), [1, 2, 3])
  assert.equal(damaged, { places: 2, bytes: headerSize + 4 })
  assert.equal(
    lines.map(({ level }) => level),
    ['error', 'error'],
  )
})

damaged.run()
