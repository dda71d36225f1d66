import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/folder.ts'
import { faultyDisk } from './faulty-disk.ts'
import { append, drainAll, idOf, openAt, recordingLog, recordOf, right } from './given.ts'

const journalFull = E.left({ kind: 'transient' as const, reason: 'journal full' })
const many = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => recordOf(from + i))

const full = suite('journal: full')

full('above the size limit a record is refused, and after records are drained it is accepted', async () => {
  const journal = await openAt(temporaryFolder(), { maxBytes: 1_000, segmentBytes: 200 })
  const outcomes = await Promise.all(many(1, 20).map(journal.append))
  const taken = outcomes.filter(E.isRight).length

  assert.ok(taken > 5 && taken < 20)
  assert.equal(outcomes.slice(taken), Array(20 - taken).fill(journalFull))
  assert.ok(journal.state().bytes <= 1_000)

  const [entry] = right(await journal.peek(taken))
  right(await journal.drained((entry?.position ?? 0) + 3))
  assert.equal(await journal.append(recordOf(21)), E.right(undefined))
  await journal.close()
})

for (const fault of ['no space', 'no space half-way', 'no sync', 'no sync and no truncate', 'no new file'] as const) {
  full(`${fault}: the record is refused, the next one is accepted, and accepted records survive`, async () => {
    const dir = temporaryFolder()
    const { disk, openFile } = faultyDisk()
    const { log, levels } = recordingLog()
    const first = await openAt(dir, { openFile, log, segmentBytes: 400 })
    await append(first, many(1, 6))
    disk.fault = fault
    const refused = await Promise.all(many(7, 12).map(first.append))
    const again = await first.append(recordOf(13))
    disk.fault = 'none'
    await append(first, many(14, 16))
    await first.close()

    const taken = many(7, 13)
      .filter((_, i) => E.isRight([...refused, again][i] ?? journalFull))
      .map(idOf)
    assert.equal([...refused, again].filter(E.isLeft).slice(-1), [journalFull])
    assert.equal(levels(), ['error', 'info'])

    const second = await openAt(dir, { segmentBytes: 400 })
    const ids = (await drainAll(second)).map(idOf)
    await second.close()
    const acknowledged = [1, 2, 3, 4, 5, 6, ...taken, 14, 15, 16]
    assert.equal(
      ids.filter((id) => acknowledged.includes(id)),
      acknowledged,
    )
    if (fault !== 'no sync and no truncate') assert.equal(ids, acknowledged)
  })
}

full('a record is refused if the folder of the journal was deleted', async () => {
  const dir = join(temporaryFolder(), 'journal')
  const journal = await openAt(dir)
  assert.equal(await journal.append(recordOf(1)), E.right(undefined))
  rmSync(dir, { recursive: true })
  for (const next of [2, 3]) assert.equal(await journal.append(recordOf(next)), journalFull)
  await journal.close()
})

full('a full disk does not prevent the deletion of drained segments', async () => {
  const dir = temporaryFolder()
  const { disk, openFile } = faultyDisk()
  const { log, levels } = recordingLog()
  const journal = await openAt(dir, { openFile, log, segmentBytes: 300 })
  await append(journal, many(1, 12))
  disk.fault = 'no new file'
  assert.equal((await drainAll(journal)).map(idOf), many(1, 12).map(idOf))
  assert.is(journal.state().bytes, 0)
  assert.equal(levels(), ['warn'])
  disk.fault = 'none'
  await append(journal, [recordOf(13)])
  await journal.close()

  const second = await openAt(dir)
  assert.equal((await drainAll(second)).map(idOf), [13])
  await second.close()
})

full.run()
