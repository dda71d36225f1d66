import { setImmediate as afterOthers } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Failure } from '../../../src/bridge/domain/log/record.ts'
import { writeBatcher } from '../../../src/bridge/mongo/write-batcher.ts'
import type { Change } from '../../../src/bridge/views/document.ts'

const batcher = suite('the write batcher')

const change = (id: string): Change => ({
  view: 'chats',
  id,
  evolve: () => {
    throw new Error('not folded here')
  },
})
const classify = (error: unknown): Failure => ({
  kind: error instanceof RangeError ? 'permanent' : 'transient',
  reason: 'refused',
})
const outcomes = async (promises: ReadonlyArray<Promise<void>>) =>
  (await Promise.allSettled(promises)).map(({ status }) => status)

/** An apply function that waits until the test opens it, and fails if `refuse` returns an error. */
const gate = (refuse: (ids: ReadonlyArray<string>) => Error | undefined = () => undefined) => {
  const calls: string[][] = []
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const apply = async (changes: ReadonlyArray<Change>) => {
    const ids = changes.map(({ id }) => id)
    calls.push(ids)
    begin()
    await opened
    const error = refuse(ids)
    if (error) throw error
  }
  return {
    calls,
    begun,
    open: () => open(),
    apply: writeBatcher({ applyChanges: apply, classify, atOnce: 3 }),
  }
}

batcher('applies changes that wait during one apply together, in order', async () => {
  const { calls, begun, open, apply } = gate()
  const first = apply([change('1')])
  await begun
  const done = [first, apply([change('2'), change('3')]), apply([change('4')])]
  open()
  assert.equal(await outcomes(done), ['fulfilled', 'fulfilled', 'fulfilled'])
  assert.equal(calls, [['1'], ['2', '3', '4']])
})

batcher('applies what comes in turns of the event loop that follow one another together', async () => {
  const { calls, open, apply } = gate()
  open()
  const inTheSameTurn = async () => {
    for (let i = 0; i < 5; i++) await undefined
    return apply([change('2')])
  }
  const inTheNextTurn = async () => {
    await afterOthers()
    return apply([change('3')])
  }
  await Promise.all([apply([change('1')]), inTheSameTurn(), inTheNextTurn()])
  assert.equal(calls, [['1', '2', '3']])
})

batcher('starts a parallel apply only if many changes wait, up to its limit', async () => {
  const calls: number[] = []
  const opened = Promise.withResolvers<void>()
  const applyChanges = async (changes: ReadonlyArray<Change>) => {
    calls.push(changes.length)
    await opened.promise
  }
  const many = (size: number) => Array.from({ length: size }, (_, i) => change(String(i)))
  const apply = writeBatcher({ applyChanges, classify, atOnce: 2 })
  const first = apply(many(100))
  await afterOthers()
  const done = [first, apply(many(900)), apply(many(100)), apply(many(1_000))]
  await afterOthers()
  done.push(apply(many(1_000)))
  await afterOthers()
  assert.equal(calls, [100, 2_000])
  opened.resolve()
  await outcomes(done)
  assert.equal(calls, [100, 2_000, 1_000])
})

batcher('reports an outage to each caller, and continues with later changes', async () => {
  let away = true
  const { calls, open, apply } = gate(() => (away ? new Error('away') : undefined))
  const done = [apply([change('1')]), apply([change('2')]), apply([change('3')])]
  open()
  assert.equal(await outcomes(done), ['rejected', 'rejected', 'rejected'])
  away = false
  assert.equal(await outcomes([apply([change('4')])]), ['fulfilled'])
  assert.equal(calls, [['1', '2', '3'], ['4']])
})

batcher('fails only the caller whose documents cannot be stored', async () => {
  const { calls, open, apply } = gate((ids) => (ids.includes('bad') ? new RangeError('too large') : undefined))
  const done = [apply([change('1')]), apply([change('2')]), apply([change('bad')]), apply([change('3')])]
  open()
  assert.equal(await outcomes(done), ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  assert.equal(calls, [['1', '2', 'bad', '3'], ['1'], ['2'], ['bad'], ['3']])
})

batcher.run()
