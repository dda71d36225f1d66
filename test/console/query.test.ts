import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BsonDate } from '../../contracts/primitives.ts'
import { type PageEnd, pageEnd } from '../../src/bridge/shared/page.ts'
import { Cursor, cursorText, Limit, LocalTime, On, readQuery, spanBetween } from '../../src/console/query.ts'

const End = t.strict({ at: BsonDate, ids: t.array(t.string) })
const Query = t.partial({ failed: On, limit: Limit(200), cursor: Cursor(End, 'next') })
const read = (query: string) => readQuery(Query, new URLSearchParams(query))

const query = suite('queries')

query('their parameters are decoded, and a cursor decodes to its original value', () => {
  const end = { at: new Date('2026-01-31T10:00:00.000Z'), ids: ['acme/2037/bot/1', 'é😀'] }
  assert.equal(
    read(`failed=true&limit=50&cursor=${cursorText(end)}`),
    E.right({ failed: true, limit: 50, cursor: end }),
  )
})

query('any end of a page survives encoding as a cursor', () => {
  const at = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
  const ends = fc.record({ at, ids: fc.array(fc.string()) }, { noNullPrototype: true })
  fc.assert(
    fc.property(ends, (end) => {
      assert.equal(read(`cursor=${cursorText(end)}`), E.right({ cursor: end }))
    }),
  )
})

for (const [given, message] of [
  ['failed=yes', 'failed: expected true, or nothing'],
  ['limit=0', 'limit: expected a whole number from 1 to 200'],
  ['limit=201', 'limit: expected a whole number from 1 to 200'],
  ['limit=5e1', 'limit: expected a whole number from 1 to 200'],
  ['cursor=abc', 'cursor: expected the `next` of an earlier answer'],
  ['cursor=bnVsbA', 'cursor: expected the `next` of an earlier answer'],
  ['agnet=a1', 'agnet: expected nothing, there is no such field'],
] as const)
  query(`${given} is refused by the parameter's name`, () => {
    assert.equal(read(given), E.left({ status: 400, code: 'invalid_request', message, headers: {} }))
  })

type Row = { readonly _id: string; readonly at: Date }

/** A page as MongoDB returns it: rows from the end of the previous page on, without rows that were returned before. */
const pageOf = (rows: ReadonlyArray<Row>, limit: number, after?: PageEnd) =>
  rows
    .filter((row) => after === undefined || (row.at <= after.at && !after.ids.includes(row._id)))
    .sort((a, b) => b.at.getTime() - a.at.getTime())
    .slice(0, limit)

query('the pages have every row once, even if rows have equal times, in both orders', () => {
  const rows = fc.uniqueArray(fc.record({ _id: fc.string(), ms: fc.nat(3) }), { selector: ({ _id }) => _id })
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.boolean()), (all, limit, turns) => {
      const given = all.map(({ _id, ms }) => ({ _id, at: new Date(ms) }))
      const told: Row[] = []
      for (let end: PageEnd | undefined, i = 0; i <= given.length; i++) {
        // The database returns rows of one time in any order.
        const ordered = turns.next().value ? given : given.toReversed()
        const page = pageOf(ordered, limit, end)
        if (page.length === 0) break
        told.push(...page)
        end = pageEnd(page, ({ at }) => at, end)
      }
      assert.equal(told.map(({ _id }) => _id).sort(), given.map(({ _id }) => _id).sort())
    }),
  )
})

query('a day, or a minute of it, is in the time zone of the account', () => {
  const span = (from: string, to: string) => {
    const found = spanBetween({ from, to }, 'Europe/Berlin')
    return [found.from?.toISOString(), found.to?.toISOString()]
  }
  assert.equal(span('2026-01-31', '2026-01-31'), ['2026-01-30T23:00:00.000Z', '2026-01-31T23:00:00.000Z'])
  assert.equal(span('2026-01-31T17:00', '2026-01-31T18:30'), ['2026-01-31T16:00:00.000Z', '2026-01-31T17:30:00.000Z'])
  // Clocks change at night: this day has 23 hours.
  assert.equal(span('2026-03-29', '2026-03-29'), ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'])
})

for (const wrong of ['', 'today', '2026-02-30', '2026-01-31T25:00', '2026-01-31T5', '2026-01-31T17:00Z'])
  query(`“${wrong}” is no time of a filter`, () => assert.is(E.isLeft(LocalTime.decode(wrong)), true))

query.run()
