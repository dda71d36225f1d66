import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Failure } from '../../../src/bridge/domain/log/record.ts'
import { decide, type Effect, type FailoverEvent, initialState } from '../../../src/bridge/journal/failover.ts'

const transient: Failure = { kind: 'transient', reason: 'full' }

const failover = suite('journal: order through failovers')

type Sent = { readonly id: number; readonly failovers: number | undefined }

/** Broker, journal and drain as plain lists. Each step is the next event; a step that is not possible does nothing. */
const play = (steps: ReadonlyArray<number>, left: number) => {
  const log: number[] = []
  let lane: Sent[] = []
  let journal = Array.from({ length: left }, (_, i) => i + 1)
  let keeping: number[] = []
  let outstanding: Sent[] = []
  let batch: { ids: number[]; acked: number } | undefined
  let state = initialState(left)
  let next = left
  const acknowledged = [...journal]

  const perform = (effect: Effect, id: number) => {
    if (effect.do === 'answer' && E.isRight(effect.outcome)) acknowledged.push(id)
    if (effect.do === 'journal') keeping.push(id)
    if (effect.do === 'send' || effect.do === 'hold') outstanding.push({ id, failovers: state.failovers })
    if (effect.do === 'send' || effect.do === 'send outstanding')
      assert.equal({ journal, keeping, batch }, { journal: [], keeping: [], batch: undefined })
    if (effect.do === 'send') lane.push({ id, failovers: state.failovers })
    if (effect.do === 'send outstanding') lane.push(...outstanding)
    if (effect.do === 'journal outstanding') {
      keeping.push(...outstanding.map((sent) => sent.id))
      outstanding = []
    }
  }
  const happen = (event: FailoverEvent, id = 0) => {
    const [after, effects] = decide(state, event)
    state = after
    for (const effect of effects) perform(effect, id)
  }
  const settleBatch = (ids: ReadonlyArray<number>, failed: boolean) => {
    journal = journal.filter((id) => !ids.includes(id))
    batch = undefined
    if (failed) return happen({ type: 'DrainFailed' })
    if (journal.length === 0) happen({ type: 'Drained' })
    if (journal.length <= 2) happen({ type: 'NearlyDrained' })
  }
  const acknowledge = () => {
    const sent = lane.shift()
    if (sent === undefined) return
    log.push(sent.id)
    if (sent.failovers !== undefined) {
      happen({ type: 'KafkaAnswered', failovers: sent.failovers, outcome: E.right(undefined) }, sent.id)
      outstanding = outstanding.filter(({ id }) => id !== sent.id)
    } else if (batch !== undefined) {
      batch.acked += 1
      if (batch.acked === batch.ids.length) settleBatch(batch.ids, false)
    }
  }
  const step = (what: number) => {
    const [oldest] = outstanding
    if (what === 0) {
      next += 1
      happen({ type: 'RecordArrived' }, next)
    }
    if (what === 1) acknowledge()
    if (what === 2 && oldest?.failovers !== undefined) happen({ type: 'DeadlinePassed', failovers: oldest.failovers })
    if (what === 3 || what === 4) {
      const [id, ...rest] = keeping
      keeping = rest
      if (id === undefined) return
      if (what === 3) journal.push(id)
      happen({ type: 'JournalAnswered', outcome: what === 3 ? E.right(undefined) : E.left(transient) }, id)
    }
    if (what === 5 && batch === undefined && state.mode !== 'direct') {
      batch = { ids: journal.slice(0, 2), acked: 0 }
      lane.push(...batch.ids.map((id) => ({ id, failovers: undefined })))
      if (batch.ids.length === 0) settleBatch([], false)
    }
    // The broker refuses the rest of a batch. It leaves the lane, and the drain starts again behind the accepted
    // records.
    if (what === 6 && batch !== undefined) {
      lane = lane.filter(({ failovers }) => failovers !== undefined)
      settleBatch(batch.ids.slice(0, batch.acked), true)
    }
  }
  for (const what of steps) step(what)
  const settled = () => lane.length === 0 && state.mode === 'direct'
  for (let rounds = 0; !settled() && rounds < 1_000; rounds++) for (const what of [3, 5, 1]) step(what)
  return { log: [...new Set(log)], acknowledged: [...new Set(acknowledged)], mode: state.mode }
}

failover('under any faults, all acknowledged records are in the log once, in the order of arrival', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6), { maxLength: 150 }),
      fc.nat(5),
      (steps, left) => {
        const { log, acknowledged, mode } = play(steps, left)
        const expected = acknowledged.toSorted((a, b) => a - b)
        assert.equal(
          log.filter((id) => expected.includes(id)),
          expected,
        )
        assert.is(mode, 'direct')
      },
    ),
    { numRuns: 1_000 },
  )
})

failover.run()
