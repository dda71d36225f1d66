import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Failure } from '../../src/domain/ports.ts'
import { decide, firstWay, type Happening, type Order } from '../../src/journal/way.ts'

const transient: Failure = { kind: 'transient', reason: 'full' }

const way = suite('journal: the order over any way')

type Sent = { readonly id: number; readonly turn: number | undefined }

/** Broker, journal and drain as plain lists; steps say what happens next, as far as it can happen. */
const play = (steps: ReadonlyArray<number>, left: number) => {
  const log: number[] = []
  let lane: Sent[] = []
  let journal = Array.from({ length: left }, (_, i) => i + 1)
  let keeping: number[] = []
  let outstanding: Sent[] = []
  let batch: { ids: number[]; acked: number } | undefined
  let state = firstWay(left)
  let next = left
  const acknowledged = [...journal]

  const obey = (order: Order, id: number) => {
    if (order.to === 'answer' && E.isRight(order.outcome)) acknowledged.push(id)
    if (order.to === 'keep') keeping.push(id)
    if (order.to === 'send' || order.to === 'hold') outstanding.push({ id, turn: state.turn })
    if (order.to === 'send' || order.to === 'send outstanding')
      assert.equal({ journal, keeping, batch }, { journal: [], keeping: [], batch: undefined })
    if (order.to === 'send') lane.push({ id, turn: state.turn })
    if (order.to === 'send outstanding') lane.push(...outstanding)
    if (order.to === 'keep outstanding') {
      keeping.push(...outstanding.map((sent) => sent.id))
      outstanding = []
    }
  }
  const happen = (happening: Happening, id = 0) => {
    const [after, orders] = decide(state, happening)
    state = after
    for (const order of orders) obey(order, id)
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
    if (sent.turn !== undefined) {
      happen({ type: 'BrokerAnswered', turn: sent.turn, outcome: E.right(undefined) }, sent.id)
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
      happen({ type: 'Arrived' }, next)
    }
    if (what === 1) acknowledge()
    if (what === 2 && oldest?.turn !== undefined) happen({ type: 'Overdue', turn: oldest.turn })
    if (what === 3 || what === 4) {
      const [id, ...rest] = keeping
      keeping = rest
      if (id === undefined) return
      if (what === 3) journal.push(id)
      happen({ type: 'JournalAnswered', outcome: what === 3 ? E.right(undefined) : E.left(transient) }, id)
    }
    if (what === 5 && batch === undefined && state.mode !== 'direct') {
      batch = { ids: journal.slice(0, 2), acked: 0 }
      lane.push(...batch.ids.map((id) => ({ id, turn: undefined })))
      if (batch.ids.length === 0) settleBatch([], false)
    }
    // The rest of a batch is refused: it is not in the lane any more, and the drain begins again behind what was taken.
    if (what === 6 && batch !== undefined) {
      lane = lane.filter(({ turn }) => turn !== undefined)
      settleBatch(batch.ids.slice(0, batch.acked), true)
    }
  }
  for (const what of steps) step(what)
  const settled = () => lane.length === 0 && state.mode === 'direct'
  for (let rounds = 0; !settled() && rounds < 1_000; rounds++) for (const what of [3, 5, 1]) step(what)
  return { log: [...new Set(log)], acknowledged: [...new Set(acknowledged)], mode: state.mode }
}

way('whatever happens, all that was acknowledged is in the log once in the order in which it came', () => {
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

way.run()
