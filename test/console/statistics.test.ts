import { setImmediate as afterOthers } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { statistics as page } from '../../src/console/pages/statistics/page.ts'
import { right } from '../support/either.ts'
import { eventually } from '../support/eventually.ts'
import { auditTopic, given } from './given-request.ts'
import { heldQueries, isOneAtATime } from './held-queries.ts'

const csvRoute = 'GET /api/accounts/:account/statistics.csv'
const query = 'by=agent&from=2026-01-01&to=2026-01-31'
const row = { _id: 'acme/2026-01-01/agent/a1', accountId: 'acme', day: '2026-01-01', by: 'agent', id: 'a1' }

/** Statistics with this many rows. A query is answered when the test calls its function in `asked`. */
const withRows = (count: number) => {
  const { asked, read } = heldQueries(Array.from({ length: count }, () => row))
  const handlers = page.handlers({
    now: () => '2026-02-01T00:00:00.000Z' as never,
    timeZoneOf: () => 'UTC',
    recordActionOf: auditTopic().recordActionOf,
    read,
  })
  return { handlers, asked }
}

const statistics = suite('large statistics')

statistics('other requests are answered while the rows are computed', async () => {
  const { handlers, asked } = withRows(5_000)
  const state = { turns: 0, isOver: false }
  const answered = handlers[csvRoute](given({ query })).finally(() => {
    state.isOver = true
  })
  await eventually('the question', () => asked.length === 1)
  asked[0]?.()
  for (; !state.isOver; state.turns++) await afterOthers()
  const { body } = right(await answered) as { readonly body: string }
  assert.is(body.trimEnd().split('\r\n').length, 5_001)
  assert.ok(state.turns >= 50, `${state.turns} turns`)
})

statistics('one answer is computed at a time', async () => {
  const { handlers, asked } = withRows(1)
  await isOneAtATime(() => handlers[csvRoute](given({ query })), asked)
})

statistics('no query is made for a client that disconnected while it waited', async () => {
  const { handlers, asked } = withRows(1)
  const first = handlers[csvRoute](given({ query }))
  const gone = new AbortController()
  const second = handlers[csvRoute](given({ query, signal: gone.signal }))
  gone.abort()
  assert.ok(E.isLeft(await second))
  assert.is(asked.length, 1)
  asked[0]?.()
  right(await first)
})

statistics.run()
