import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openJournal } from '../../../src/bridge/journal/journal.ts'
import { encodeHeader, headerSize } from '../../../src/bridge/journal/segment.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { anyRecord, append, idOf, noon, openAt, recordingLog, recordOf } from './given.ts'
import { reopened, segmentsOf, three, written } from './segments.ts'

const segment = '000000000000001-0a0b0c0d.segment'

const recovery = suite('journal: recovery')

recovery('appended records are there after a restart, in their order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRecord, { maxLength: 20 }),
      fc.integer({ min: 1, max: 400 }),
      async (records, size) => {
        const dir = temporaryFolder()
        const journal = await openAt(dir, { segmentBytes: size })
        await append(journal, records)
        await journal.close()
        assert.equal(await reopened(dir), {
          damaged: { places: 0, bytes: 0 },
          counted: records.length,
          records,
          lines: [],
        })
      },
    ),
    { numRuns: 30 },
  )
})

recovery('a tail that is torn at any byte is cut off after the acknowledged records, with a warning', async () => {
  const { dir, places } = await written(three)
  const [file = ''] = segmentsOf(dir)
  const content = readFileSync(join(dir, file))
  const offset = places[2]?.offset ?? 0
  // This is the file of a killed process: the third record was never acknowledged.
  encodeHeader(offset).copy(content)
  for (let end = offset + 1; end < content.length; end++) {
    writeFileSync(join(dir, file), content.subarray(0, end))

    const { log, lines } = recordingLog()
    const journal = await openAt(dir, { log })
    const { records, damaged } = journal.state()
    await journal.close()

    assert.equal({ records, damaged }, { records: 2, damaged: { places: 0, bytes: 0 } })
    assert.equal(lines, [
      {
        level: 'warn',
        fields: { file, offset, bytes: end - offset },
        message: 'the end of the journal was torn and has been cut off',
      },
    ])
    assert.equal(readFileSync(join(dir, file)), content.subarray(0, offset))
    assert.equal(readFileSync(join(dir, 'damaged', `${file}-${offset}`)), content.subarray(offset, end))
  }
})

recovery('a torn tail that cannot be copied is not cut off: the journal does not open', async () => {
  const { dir } = await written(three)
  const [file = ''] = segmentsOf(dir)
  appendFileSync(join(dir, file), 'torn')
  const before = readFileSync(join(dir, file))
  writeFileSync(join(dir, 'damaged'), 'not a folder')
  const options = { dir, maxBytes: 1_000, now: () => noon, log: recordingLog().log }
  assert.equal(
    await openJournal(options),
    E.left({
      kind: 'transient' as const,
      reason: `it cannot be read: damaged bytes cannot be set aside: ENOTDIR at ${file}`,
    }),
  )
  assert.equal(readFileSync(join(dir, file)), before)
})

recovery(
  'after a kill between the first group and the header nothing was acknowledged and nothing is damaged',
  async () => {
    const { dir } = await written(three)
    const [file = ''] = segmentsOf(dir)
    const content = readFileSync(join(dir, file))
    content.fill(0, 0, headerSize)
    writeFileSync(join(dir, file), content.subarray(0, -1))
    const { records, damaged, lines } = await reopened(dir)
    assert.equal(records.map(idOf), [1, 2])
    assert.equal(damaged, { places: 0, bytes: 0 })
    assert.equal(
      lines.map(({ level }) => level),
      ['warn'],
    )
  },
)

recovery('after a torn tail new records follow the valid ones', async () => {
  const { dir } = await written(three)
  appendFileSync(join(dir, segmentsOf(dir)[0] ?? ''), 'torn')
  const journal = await openAt(dir)
  await append(journal, [recordOf(4)])
  await journal.close()
  assert.equal((await reopened(dir)).records.map(idOf), [1, 2, 3, 4])
})

for (const file of ['checkpoint', segment])
  recovery(`${file} is a folder: the journal does not open, and says why`, async () => {
    const dir = temporaryFolder()
    mkdirSync(join(dir, file))
    const opened = await openJournal({ dir, maxBytes: 1_000, now: () => noon, log: recordingLog().log })
    assert.equal(opened, E.left({ kind: 'transient', reason: `it cannot be read: EISDIR at ${file}` }))
  })

recovery.run()
