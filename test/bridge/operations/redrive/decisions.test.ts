import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { State } from '../../../../src/bridge/mongo/redrives.ts'
import { pace } from '../../../../src/bridge/operations/redrive/batches.ts'
import {
  type Filters,
  matches,
  partOf,
  type StoredDeadLetter,
} from '../../../../src/bridge/operations/redrive/dead-letters.ts'
import { newest } from '../../../../src/bridge/operations/redrive/find.ts'
import { decideRedrive, isOutdated } from '../../../../src/bridge/operations/redrive/guard.ts'
import { deadLetters, place } from './given-letters.ts'

const decisions = suite('redrive decisions')

decisions('without a filter every dead letter is selected', () => {
  fc.assert(fc.property(deadLetters, (deadLetter) => assert.ok(matches({})(deadLetter))))
})

decisions('each filter selects what has its value, and nothing else', () => {
  fc.assert(
    fc.property(deadLetters, (deadLetter) => {
      const { account, cause, consumer, id } = deadLetter
      const { topic } = deadLetter.origin
      const at = Date.parse(deadLetter.failedAt)
      const rows: ReadonlyArray<readonly [Filters, boolean]> = [
        [{ account }, true],
        [{ account: 'x' }, false],
        [{ topic }, true],
        [{ topic: 'x' }, false],
        [{ cause }, true],
        [{ cause: 'x' }, false],
        [{ consumer }, true],
        [{ consumer: 'x' }, false],
        [{ id: [id] }, true],
        [{ id: ['x'] }, false],
        [{ since: at }, true],
        [{ since: at + 1 }, false],
        [{ until: at }, false],
        [{ notOf: ['x'] }, true],
        [{ notOf: ['x', account] }, false],
      ]
      for (const [filters, expected] of rows) assert.is(matches(filters)(deadLetter), expected, JSON.stringify(filters))
    }),
  )
})

decisions('several filters select the letters that match each of them', () => {
  const filters: fc.Arbitrary<Filters> = deadLetters.chain(({ origin, cause, consumer, failedAt, id }) =>
    fc.record(
      {
        topic: fc.constant(origin.topic),
        cause: fc.constant(cause),
        consumer: fc.constant(consumer),
        since: fc.constant(Date.parse(failedAt)),
        until: fc.constant(Date.parse(failedAt)),
        id: fc.constant([id]),
      },
      { requiredKeys: [] },
    ),
  )
  fc.assert(
    fc.property(filters, deadLetters, (all, deadLetter) => {
      const single = Object.entries(all).map(([name, value]): Filters => ({ [name]: value }))
      assert.is(
        matches(all)(deadLetter),
        single.every((one) => matches(one)(deadLetter)),
      )
    }),
  )
})

decisions('since is inclusive and until is exclusive, so that adjacent time spans share no letter', () => {
  fc.assert(
    fc.property(deadLetters, fc.nat(48), (deadLetter, hours) => {
      const at = Date.UTC(2026, 0, 31, hours)
      assert.is.not(matches({ since: at })(deadLetter), matches({ until: at })(deadLetter))
    }),
  )
})

decisions('only the requested offsets of dead-letters are read', () => {
  fc.assert(
    fc.property(
      fc.array(place, { minLength: 1, maxLength: 5 }),
      place,
      fc.nat(20),
      (places, { partition, offset }, n) => {
        const whole = { low: Math.min(offset, n), high: Math.max(offset, n) }
        const part = partOf(places.map((each) => `${each.partition}/${each.offset}`))(partition, whole)
        const wanted = places.filter((each) => each.partition === partition).map((each) => each.offset)
        const there = wanted.filter((each) => each >= whole.low && each < whole.high)
        assert.ok(part.low >= whole.low && part.high <= whole.high && part.low <= part.high)
        assert.equal(
          there.filter((each) => each >= part.low && each < part.high),
          there,
        )
        if (there.length === 0) assert.equal(part, { low: whole.high, high: whole.high })
      },
    ),
  )
  assert.equal(partOf(undefined)(0, { low: 2, high: 5 }), { low: 2, high: 5 })
})

const rules = { force: false, again: false, overwrite: false }

decisions(
  'a dead letter is sent once, and no record more often than the guard allows, unless an operator insists',
  () => {
    const cases: ReadonlyArray<
      readonly [redriven: number, timesSent: number, change: Partial<typeof rules>, expected: object]
    > = [
      [0, 0, {}, E.right(1)],
      [2, 0, {}, E.right(3)],
      [3, 0, {}, E.left({ result: 'kept', why: { kind: 'redriven', times: 3 } })],
      [0, 1, {}, E.left({ result: 'before' })],
      [0, 1, { force: true }, E.left({ result: 'before' })],
      [0, 1, { again: true }, E.right(2)],
      [1, 2, { again: true }, E.left({ result: 'kept', why: { kind: 'redriven', times: 3 } })],
      [1, 2, { again: true, force: true }, E.right(4)],
    ]
    assert.equal(
      cases.map(([redriven, timesSent, change]) =>
        decideRedrive({ redriven }, { timesSent, outdated: false, erased: false }, { ...rules, ...change }),
      ),
      cases.map(([, , , expected]) => expected),
    )
  },
)

decisions('a dead letter of an erased person is not sent, whatever an operator insists on', () => {
  const insisting = { force: true, again: true, overwrite: true }
  const known = { timesSent: 0, outdated: false, erased: true }
  assert.equal(decideRedrive({ redriven: 0 }, known, insisting), E.left({ result: 'kept', why: { kind: 'erased' } }))
})

type Letter = Pick<StoredDeadLetter, 'origin'> & Partial<Pick<StoredDeadLetter, 'redriven'>>
const origin: Letter['origin'] = { topic: 'enrichments', partition: 2, offset: 7 }
const noon = new Date('2026-01-31T12:00:00.000Z')
for (const [name, letter, state, expected] of [
  ['of a client whose state is not known', { origin: { ...origin, topic: 'clients' } }, undefined, false],
  ['of a client with an older state', { origin: { ...origin, topic: 'clients' } }, { lastEventAt: new Date(0) }, false],
  ['of a client with its own state', { origin: { ...origin, topic: 'clients' } }, { lastEventAt: noon }, false],
  [
    'of a client with a newer state',
    { origin: { ...origin, topic: 'clients' } },
    { lastEventAt: new Date(noon.getTime() + 1) },
    true,
  ],
  ['with an older enrichment', { origin }, { applied: { 'enrichments/2': 6, 'enrichments/2/epoch': 9 } }, false],
  ['with a newer enrichment', { origin }, { applied: { 'enrichments/2': 8, 'enrichments/2/epoch': 1 } }, true],
  ['with an enrichment of another partition', { origin }, { applied: { 'enrichments/1': 6 } }, true],
  ['that was redriven before', { origin, redriven: 1 }, { applied: { 'enrichments/2': 6 } }, true],
  ['without any enrichment', { origin, redriven: 1 }, {}, false],
] satisfies ReadonlyArray<readonly [string, Letter, State | undefined, boolean]>)
  decisions(`the view ${expected ? 'may have' : 'has not'} processed a newer record than that ${name}`, () => {
    const headers = { ce_time: Buffer.from(noon.toISOString()) }
    assert.is(isOutdated({ redriven: 0, ...letter }, { headers }, state), expected)
  })

decisions('a loop that redrives everything repeatedly ends', () => {
  // Dead letters, and how often each was sent. A sent record fails at once and becomes a new dead letter.
  const all: Array<{ redriven: number; timesSent: number }> = [{ redriven: 0, timesSent: 0 }]
  const round = () => {
    let sent = 0
    for (const deadLetter of [...all]) {
      const decision = decideRedrive(
        deadLetter,
        { ...deadLetter, outdated: false, erased: false },
        { ...rules, again: true },
      )
      if (E.isLeft(decision)) continue
      deadLetter.timesSent++
      sent++
      all.push({ redriven: decision.right, timesSent: 0 })
    }
    return sent
  }
  const sent = Array.from({ length: 10 }, round)

  assert.is(
    sent.reduce((sum, each) => sum + each, 0),
    7,
  )
  assert.is(sent.at(-1), 0)
})

decisions('the newest letters are kept in the order of their times, and all are counted', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 10 }), (times, most) => {
      const kept = newest<readonly [number, number]>(most, ([time]) => time)
      for (const [i, time] of times.entries()) kept.add([time, i])
      const sorted = times.map((time, i) => [time, i] as const).sort(([a, i], [b, j]) => a - b || i - j)

      assert.equal(kept.items(), sorted.slice(-most))
      assert.is(kept.count(), times.length)
    }),
  )
})

decisions('a command sends 100 at once at most, and then waits for as long as these need', async () => {
  const waits: number[] = []
  let now = 5_000
  const sleep = async (ms: number) => {
    waits.push(ms)
    now += ms
  }
  const { atOnce, next } = pace(200, () => now, sleep)
  for (const count of [100, 50, 0]) await next(count)
  assert.equal([atOnce, pace(20, () => now, sleep).atOnce, waits], [100, 20, [500, 250]])
})

decisions('within any time, at most the rate for its seconds and one second more is sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(100)), fc.integer({ min: 1, max: 300 }), async (counts, perSecond) => {
      let now = 0
      const { next, atOnce } = pace(
        perSecond,
        () => now,
        async (ms) => {
          now += ms
        },
      )
      let gone = 0
      for (const count of counts) {
        const some = Math.min(count, atOnce)
        await next(some)
        gone += some
        assert.ok(gone <= (now / 1000) * perSecond + atOnce + 1e-6)
      }
    }),
  )
})

decisions.run()
