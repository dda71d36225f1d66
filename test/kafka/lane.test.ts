import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type LaneLimits, lane } from '../../src/kafka/lane.ts'

const wide: LaneLimits = { send: { records: 100, bytes: 1_000 }, waiting: { records: 1_000, bytes: 100_000 } }
const poison = new Error('poison')
const durable = E.right(undefined)
/** A pause of this length ends only when the lane is drained. */
const draining = 10_000

/** A lane of texts whose size is their length; `send` is the broker. */
const laneOf = (send: (batch: ReadonlyArray<string>) => Promise<void>, limits = wide) => {
  const pauses: number[] = []
  let time = 0
  const made = lane<string>({
    ...{ send, limits },
    refusalOf: (error) => (error === poison ? { kind: 'permanent', reason: 'refused' } : undefined),
    sizeOf: ({ length }) => length,
    sleep: async (ms, signal) => {
      if (signal?.aborted) return
      if (signal !== undefined && ms >= draining)
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
      pauses.push(ms)
      time += ms
    },
    random: () => 0.5,
    clock: () => time,
  })
  return { ...made, pauses }
}

/** A broker that answers when it is told to. */
const slowBroker = () => {
  const sent: Array<ReadonlyArray<string>> = []
  const answers: Array<{ readonly resolve: () => void; readonly reject: (error: Error) => void }> = []
  const send = (batch: ReadonlyArray<string>) =>
    new Promise<void>((resolve, reject) => {
      sent.push(batch)
      answers.push({ resolve, reject })
    })
  return { sent, answers, send }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

const produce = suite('lane')

produce('what is appended at once goes in one send, and what comes during a send goes in the next', async () => {
  const { sent, answers, send } = slowBroker()
  const { append } = laneOf(send)
  const first = [append('a'), append('b')]
  await turn()
  const second = [append('c'), append('d')]
  await turn()

  answers[0]?.resolve()
  await turn()
  answers[1]?.resolve()

  assert.equal(await Promise.all([...first, ...second]), [durable, durable, durable, durable])
  assert.equal(sent, [
    ['a', 'b'],
    ['c', 'd'],
  ])
})

produce('a send is bounded by records and by bytes, and a record that is larger goes alone', async () => {
  const sent: Array<ReadonlyArray<string>> = []
  const limits = { ...wide, send: { records: 3, bytes: 10 } }
  const { append } = laneOf(async (batch) => void sent.push(batch), limits)

  await Promise.all(['1', '2', '3', '4', '66666', '55555', '7', 'x'.repeat(30), '8'].map(append))

  assert.equal(sent, [['1', '2', '3'], ['4', '66666'], ['55555', '7'], ['x'.repeat(30)], ['8']])
})

produce('a rejected batch is sent again as it was, before anything else, after a growing pause', async () => {
  const sent: Array<ReadonlyArray<string>> = []
  const { append, pauses } = laneOf(async (batch) => {
    sent.push(batch)
    if (sent.length <= 3) throw new Error('not known')
  })
  const first = [append('a'), append('b')]
  await Promise.resolve().then(() => Promise.resolve())

  await Promise.all([...first, append('c')])

  assert.equal(sent, [['a', 'b'], ['a', 'b'], ['a', 'b'], ['a', 'b'], ['c']])
  assert.equal(pauses, [38, 75, 150])
})

produce('a record that can never be taken is refused alone', async () => {
  const log: string[] = []
  const { append } = laneOf(async (batch) => {
    if (batch.includes('bad')) throw poison
    log.push(...batch)
  })

  const outcomes = await Promise.all(['a', 'b', 'bad', 'c', 'd'].map(append))

  assert.equal(outcomes, [durable, durable, E.left({ kind: 'permanent', reason: 'refused' }), durable, durable])
  assert.equal(log, ['a', 'b', 'c', 'd'])
})

produce('a full lane refuses at once, and takes again when there is room', async () => {
  const { answers, send } = slowBroker()
  const { append, waiting } = laneOf(send, { ...wide, waiting: { records: 2, bytes: 100 } })
  const first = [append('a'), append('b')]
  const refused = await append('c')
  assert.equal(refused, E.left({ kind: 'transient', reason: 'too much waits to be appended' }))
  assert.equal(waiting(), { records: 2, bytes: 2, oldestMs: 0 })
  await turn()

  answers[0]?.resolve()
  await Promise.all(first)
  const later = append('c')
  await turn()
  answers[1]?.resolve()

  assert.equal(await later, durable)
  assert.equal(waiting(), { records: 0, bytes: 0, oldestMs: 0 })
})

produce('a stopped lane sends what waits and refuses what comes', async () => {
  const { sent, answers, send } = slowBroker()
  const { append, stop } = laneOf(send)
  const waiting = [append('a'), append('b')]
  await turn()

  const stopped = stop(draining)
  const late = append('c')
  answers[0]?.resolve()
  await stopped

  assert.equal(await Promise.all(waiting), [durable, durable])
  assert.equal(await late, E.left({ kind: 'transient', reason: 'stopping' }))
  assert.equal(sent, [['a', 'b']])
})

produce('a stopped lane lets go of what is not answered', async () => {
  const { append, stop } = laneOf(() => new Promise(() => {}))
  const waiting = append('a')
  await turn()

  await stop(10)

  assert.equal(await waiting, E.left({ kind: 'transient', reason: 'stopped before it was known to be durable' }))
})

const answer = fc.constantFrom('taken', 'taken and lost', 'lost')

produce('whatever fails, each record is settled once, none is lost, and none overtakes another', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ bad: fc.boolean(), wait: fc.boolean() }), { maxLength: 30 }),
      fc.array(answer, { maxLength: 40 }),
      fc.record({ records: fc.integer({ min: 1, max: 6 }), bytes: fc.integer({ min: 1, max: 20 }) }),
      async (given, answers, send) => {
        const log: string[] = []
        let sending = 0
        const { append, waiting } = laneOf(
          async (batch) => {
            assert.is(++sending, 1)
            await Promise.resolve()
            sending--
            if (batch.some((record) => record.endsWith('bad'))) throw poison
            const next = answers.shift() ?? 'taken'
            if (next !== 'lost') log.push(...batch)
            if (next !== 'taken') throw new Error('not known')
          },
          { ...wide, send },
        )
        const settled: Array<Promise<E.Either<unknown, void>>> = []
        for (const [i, { bad, wait }] of given.entries()) {
          settled.push(append(bad ? `${i}bad` : String(i)))
          if (wait) await Promise.resolve()
        }

        const outcomes = await Promise.all(settled)

        const good = given.flatMap(({ bad }, i) => (bad ? [] : [String(i)]))
        assert.equal([...new Set(log)], good)
        assert.equal(
          outcomes.map(E.isRight),
          given.map(({ bad }) => !bad),
        )
        assert.equal(waiting(), { records: 0, bytes: 0, oldestMs: 0 })
      },
    ),
    { numRuns: 300 },
  )
})

produce.run()
