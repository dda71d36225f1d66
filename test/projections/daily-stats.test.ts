import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../contracts/primitives.ts'
import { dailyStats, type StatsInput } from '../../src/projections/daily-stats.ts'
import { durations } from '../../src/projections/durations.ts'
import { accountDay, dayId, daysOf } from '../../src/projections/stats-days.ts'

const stats = suite('daily statistics')

const day = accountDay('acme/2026-01-31')
const on = (time: string) => `2026-01-31T${time}Z` as Instant
const before = '2026-01-30T23:59:59.999Z' as Instant
const nothing: StatsInput = { chats: [], calls: [], offline_messages: [], conversations: [], deliveries: [] }

stats('of a day without anything are zeros', () => {
  assert.equal(dailyStats(day, nothing), {
    _id: 'acme/2026-01-31',
    accountId: 'acme',
    day: '2026-01-31',
    chats: {
      accepted: 0,
      finished: 0,
      ratedGood: 0,
      ratedBad: 0,
      firstResponseMs: { count: 0 },
      totalMs: { count: 0 },
    },
    calls: {
      total: 0,
      byType: { callback: 0, incoming: 0, outgoing: 0 },
      byOutcome: { ended: 0, failed: 0, open: 0 },
    },
    offlineMessages: 0,
    conversations: {
      started: 0,
      answeredByBotAlone: 0,
      handedToAgent: 0,
      shareAnsweredByBotAlone: 0,
      replyMs: { count: 0 },
    },
    replies: { delivered: 0, failed: 0, suppressed: 0 },
  })
})

stats('count each document on the day on which it happened', () => {
  const given: StatsInput = {
    chats: [
      { acceptedAt: before, finishedAt: on('00:00:00.000'), rate: 'good', firstResponseMs: 7_000, totalMs: 60_000 },
      { acceptedAt: on('10:00:00.000'), finishedAt: on('10:00:10.000'), rate: 'Bad', totalMs: 10_000 },
      { acceptedAt: on('23:59:59.999') },
      { finishedAt: before, rate: 'good', totalMs: 1 },
    ],
    calls: [
      { type: 'incoming', state: 'end', documents: 2 },
      { type: 'callback', state: 'error', documents: 1 },
      { type: 'callback', state: 'agent_connected', documents: 4 },
    ],
    offline_messages: [{ documents: 3 }],
    conversations: [
      { startedAt: on('10:00:00.000'), clientMessages: 2, outcome: 'bot', replyTimesMs: [300, 100] },
      { startedAt: on('11:00:00.000'), clientMessages: 1, outcome: 'agent', replyTimesMs: [200] },
      { startedAt: on('12:00:00.000'), clientMessages: 0, outcome: 'open', replyTimesMs: [] },
      { startedAt: before, clientMessages: 1, outcome: 'bot', replyTimesMs: [9] },
    ],
    deliveries: [
      { state: 'delivered', documents: 5 },
      { state: 'failed', documents: 1 },
    ],
  }
  assert.equal(dailyStats(day, given), {
    _id: 'acme/2026-01-31',
    accountId: 'acme',
    day: '2026-01-31',
    chats: {
      accepted: 2,
      finished: 2,
      ratedGood: 1,
      ratedBad: 1,
      firstResponseMs: { count: 1, median: 7_000, p95: 7_000 },
      totalMs: { count: 2, median: 10_000, p95: 60_000 },
    },
    calls: {
      total: 7,
      byType: { callback: 5, incoming: 2, outgoing: 0 },
      byOutcome: { ended: 2, failed: 1, open: 4 },
    },
    offlineMessages: 3,
    conversations: {
      started: 2,
      answeredByBotAlone: 1,
      handedToAgent: 1,
      shareAnsweredByBotAlone: 0.5,
      replyMs: { count: 3, median: 200, p95: 300 },
    },
    replies: { delivered: 5, failed: 1, suppressed: 0 },
  })
})

stats('have durations by the nearest rank, in whatever order they came', () => {
  const values = Array.from({ length: 100 }, (_, i) => i + 1)
  assert.equal(durations(values), { count: 100, median: 50, p95: 95 })
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1 }), (given) => {
      const { count, median = -1, p95 = -1 } = durations(given)
      assert.equal(durations(given.toReversed()), { count, median, p95 })
      assert.ok(given.filter((it) => it <= median).length >= given.length * 0.5)
      assert.ok(given.filter((it) => it <= p95).length >= given.length * 0.95)
    }),
  )
})

stats('are touched on the days where a document was counted and where it is now', () => {
  const document = { _id: 'acme/1', accountId: 'acme', acceptedAt: before, visitor: { acceptedAt: on('00:00:00.000') } }
  const touched = (view: 'chats' | 'clients' | 'timeline') =>
    daysOf(view, document as never, { ...document, acceptedAt: on('00:00:00.000') } as never, undefined).map(dayId)
  assert.equal(touched('chats'), ['acme/2026-01-30', 'acme/2026-01-31'])
  assert.equal(touched('clients'), [])
  assert.equal(touched('timeline'), [])
})

stats.run()
