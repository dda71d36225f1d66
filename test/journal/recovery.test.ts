import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openJournal } from '../../src/journal/journal.ts'
import { anyRecord, append, freshDir, idOf, noon, openAt, recordingLog, recordOf } from './given.ts'
import { reopened, segmentsOf, three, written } from './segments.ts'

const recovery = suite('journal: recovery')

recovery('what was appended is there after a restart, in its order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRecord, { maxLength: 20 }),
      fc.integer({ min: 1, max: 400 }),
      async (records, size) => {
        const dir = freshDir()
        const journal = await openAt(dir, { segmentBytes: size })
        await append(journal, records)
        await journal.close()
        assert.equal(await reopened(dir), {
          ...{ damaged: { places: 0, bytes: 0 }, counted: records.length },
          ...{ records, lines: [] },
        })
      },
    ),
    { numRuns: 30 },
  )
})

recovery('a tail that is torn at any byte is cut off at the last good record, with a warning', async () => {
  const { dir, bytes, places } = await written(three)
  const [file = ''] = segmentsOf(dir)
  const content = readFileSync(join(dir, file))
  const offset = places[2]?.offset ?? 0
  for (let end = offset + 1; end < bytes; end++) {
    writeFileSync(join(dir, file), content)
    truncateSync(join(dir, file), end)

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

recovery('after a torn tail new records follow the good ones', async () => {
  const { dir, bytes } = await written(three)
  truncateSync(join(dir, segmentsOf(dir)[0] ?? ''), bytes - 1)
  const journal = await openAt(dir)
  await append(journal, [recordOf(4)])
  await journal.close()
  assert.equal((await reopened(dir)).records.map(idOf), [1, 2, 4])
})

recovery('a second journal on the same directory is refused until the first is closed', async () => {
  const dir = freshDir()
  const options = { dir, maxBytes: 1_000, now: () => noon, log: recordingLog().log }
  const first = await openAt(dir)
  assert.equal(
    await openJournal(options),
    E.left({ kind: 'transient' as const, reason: 'another process uses the journal' }),
  )
  await first.close()
  const second = await openAt(dir)
  await second.close()
})

recovery.run()
