import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { computeDailyStats, type StatsInput } from '../../../src/bridge/views/compute-daily-stats.ts'
import type { Views } from '../../../src/bridge/views/index.ts'
import { accountDay, dayId, daysOf } from '../../../src/bridge/views/stats-days.ts'

const stats = suite('daily statistics')

const day = accountDay('acme/2026-01-31')
const asOf = new Date('2026-02-05T00:00:00.000Z')
const nothing: StatsInput = {
  sessions: [],
  begun: [],
  accepted: 0,
  finished: [],
  calls: [],
  offlineMessages: 0,
  deliveries: [],
}

stats('of a day without anything are zeros, and no figure has a value', () => {
  const { day: found, by } = computeDailyStats(day, nothing, asOf)
  const { figures, ...counts } = found
  assert.equal(by, [])
  assert.equal(counts, {
    _id: 'acme/2026-01-31',
    accountId: 'acme',
    day: '2026-01-31',
    asOf,
    sessions: { agent: { started: 0, open: 0 }, bot: { started: 0, open: 0 } },
    chats: { accepted: 0, finished: 0, ratedGood: 0, ratedBad: 0 },
    calls: {
      total: 0,
      byType: { callback: 0, incoming: 0, outgoing: 0 },
      byOutcome: { ended: 0, failed: 0, open: 0 },
    },
    offlineMessages: 0,
    conversations: { started: 0, answeredByBotAlone: 0, agentRequested: 0 },
    replies: { delivered: 0, failed: 0, suppressed: 0 },
  })
  for (const figure of Object.values(figures)) assert.equal(figure, { numerator: 0, denominator: 0 })
})

stats('count the data of the documents', () => {
  const { day: found } = computeDailyStats(
    day,
    {
      ...nothing,
      accepted: 3,
      finished: [{ documents: 2 }, { rating: 'good', documents: 1 }, { rating: 'unknown', documents: 4 }],
      calls: [
        { type: 'incoming', state: 'end', documents: 2 },
        { type: 'callback', state: 'error', documents: 1 },
        { type: 'callback', state: 'agent_connected', documents: 4 },
      ],
      offlineMessages: 3,
      deliveries: [
        { state: 'delivered', documents: 5 },
        { state: 'suppressed', documents: 1 },
      ],
    },
    asOf,
  )
  assert.equal(found.chats, { accepted: 3, finished: 7, ratedGood: 1, ratedBad: 0 })
  assert.equal(found.calls, {
    total: 7,
    byType: { callback: 5, incoming: 2, outgoing: 0 },
    byOutcome: { ended: 2, failed: 1, open: 4 },
  })
  assert.equal([found.offlineMessages, found.replies], [3, { delivered: 5, failed: 0, suppressed: 1 }])
})

const session = (fields: object) =>
  ({
    accountId: 'acme',
    kind: 'agent',
    startedAt: new Date('2026-01-31T10:00:00.000Z'),
    ...fields,
  }) as Views['sessions']

stats('follow a session on its own days, and on the day of the previous session', () => {
  const given = session({
    latestOf: 'acme/2037/agent',
    previousStartedAt: new Date('2026-01-20T10:00:00.000Z'),
    endsAt: new Date('2026-02-01T00:30:00.000Z'),
  })
  const days = (timeZone: string) => daysOf('sessions', given, () => timeZone).map(dayId)
  const expected = ['acme/2026-01-31', 'acme/2026-02-01', 'acme/2026-01-20']
  assert.equal(days('UTC'), expected)
  assert.equal(days('America/New_York'), ['acme/2026-01-31', 'acme/2026-01-31', 'acme/2026-01-20'])
})

stats('follow a bot session on the days after which it may be a return, even if one of them has 23 hours', () => {
  const began = new Date('2026-03-29T22:30:00.000Z')
  const given = session({ kind: 'bot', latestOf: 'acme/2037/bot', startedAt: began })
  const days = daysOf('sessions', given, () => 'Europe/Berlin').map(({ day }) => day)
  assert.equal([...new Set(days)].sort(), ['2026-03-26', '2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30'])
})

stats('do not follow the future end of an open bot session', () => {
  const given = session({ kind: 'bot', endsAt: new Date('2026-02-02T00:30:00.000Z') })
  assert.equal(daysOf('sessions', given, () => 'UTC').map(dayId), ['acme/2026-01-31'])
})

stats('do not follow views that do not affect them', () => {
  assert.equal(
    daysOf('timeline', session({}), () => 'UTC'),
    [],
  )
})

stats.run()
