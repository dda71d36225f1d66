import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/folder.ts'
import { append, drainAll, idOf, noon, openAt, recordOf, right } from './given.ts'

const segments = (dir: string) => readdirSync(dir).filter((name) => name.endsWith('.segment')).length
const many = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => recordOf(from + i))

const draining = suite('journal: draining')

draining('drained records are not drained again after a restart, and no other record is missing', async () => {
  for (const most of [1, 2, 5]) {
    const dir = temporaryFolder()
    const first = await openAt(dir, { segmentBytes: 500 })
    await append(first, many(1, 20))
    const entries = right(await first.peek(most))
    right(await first.drained(entries.at(-1)?.position ?? 0))
    await first.close()

    const second = await openAt(dir, { segmentBytes: 500 })
    const rest = await drainAll(second)
    await second.close()

    assert.equal([...entries.map(({ record }) => idOf(record)), ...rest.map(idOf)], many(1, 20).map(idOf))
  }
})

draining('drained segments are deleted, even the last one, and positions continue after a restart', async () => {
  const dir = temporaryFolder()
  const first = await openAt(dir, { segmentBytes: 300 })
  await append(first, many(1, 20))
  assert.ok(segments(dir) > 3)
  await drainAll(first)
  assert.equal(first.state(), { records: 0, bytes: 0, damaged: { places: 0, bytes: 0 } })
  assert.is(segments(dir), 0)
  await first.close()

  const second = await openAt(dir)
  await append(second, [recordOf(21)])
  assert.equal(right(await second.peek(1)), [{ position: 21, appendedAt: Date.parse(noon), record: recordOf(21) }])
  await second.close()
})

draining('records that arrive while others are drained are in their order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 12 }), async (steps) => {
      const journal = await openAt(temporaryFolder(), { segmentBytes: 250 })
      let next = 1
      const seen: number[] = []
      for (const [more, less] of steps) {
        const appended = append(journal, many(next, next + more - 1))
        next += more
        const entries = less === 0 ? [] : right(await journal.peek(less))
        const last = entries.at(-1)
        if (last !== undefined) right(await journal.drained(last.position))
        seen.push(...entries.map(({ record }) => idOf(record)))
        await appended
        assert.is(journal.state().records, next - 1 - seen.length)
      }
      seen.push(...(await drainAll(journal)).map(idOf))
      await journal.close()
      assert.equal(seen, many(1, next - 1).map(idOf))
    }),
    { numRuns: 30 },
  )
})

draining('the state shows how much waits and since when', async () => {
  const times = ['2026-01-31T12:00:01.000Z', '2026-01-31T12:00:02.000Z'] as (typeof noon)[]
  const journal = await openAt(temporaryFolder(), { now: () => times.shift() ?? noon })
  assert.equal(journal.state(), { records: 0, bytes: 0, damaged: { places: 0, bytes: 0 } })
  await append(journal, [recordOf(1)])
  await append(journal, [recordOf(2)])
  assert.is(journal.state().oldestAt, Date.parse('2026-01-31T12:00:01.000Z'))
  assert.is(journal.state().records, 2)
  await journal.peek(2)
  await journal.drained(1)
  assert.is(journal.state().oldestAt, Date.parse('2026-01-31T12:00:02.000Z'))
  assert.is(journal.state().records, 1)
  await journal.close()
})

draining.run()
