import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../../contracts/topics.ts'
import { unmeasured } from '../../../../src/bridge/domain/metrics.ts'
import { type ProducerLimits, producer } from '../../../../src/bridge/kafka/produce/producer.ts'
import type { WireRecord } from '../../../../src/bridge/kafka/wire-record.ts'
import { silent } from '../../../support/silent-log.ts'
import { type Fate, fakeBrokers } from './fake-brokers.ts'

const wide: ProducerLimits = {
  batch: { records: 100, bytes: 100_000 },
  request: { records: 1_000, bytes: 1_000_000 },
  waiting: { records: 1_000, bytes: 1_000_000 },
}
const durable = E.right(undefined)
/** A pause of this length ends only when the producer is drained. */
const draining = 100_000
const nothing = () => {}

/** A record whose key is the number of its partition. */
const of = (topic: TopicName, partition: number, value: string): WireRecord => ({
  topic,
  key: String(partition),
  value,
  headers: {},
})
const chat = (value: string) => of('chats', 0, value)

const producerOf = (brokers: Pick<ReturnType<typeof fakeBrokers>, 'connect'>, limits = wide) => {
  const pauses: number[] = []
  const unknown = new Set<TopicName>()
  let time = 0
  const made = producer({
    connect: brokers.connect,
    limits,
    random: () => 0.5,
    clock: () => time,
    log: silent,
    measure: unmeasured,
    partitioner: {
      ready: async (topics) => {
        if ([...topics].some((topic) => unknown.has(topic))) throw new Error('no such topic')
      },
      partitionOf: (topic, key) => (unknown.has(topic) ? undefined : Number(key)),
      forget: nothing,
    },
    sleep: async (ms, signal) => {
      if (signal?.aborted) return
      if (ms >= draining) return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
      pauses.push(ms)
      time += ms
      await new Promise((resolve) => setImmediate(resolve))
    },
  })
  return { ...made, pauses, unknown }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const always = () => 'taken'

/** Requests that wait until `release` is called, in the order of their arrival. */
const held = () => {
  const waiting: Array<() => void> = []
  return { hold: () => new Promise<void>((resolve) => void waiting.push(resolve)), release: () => waiting.shift()?.() }
}

const produce = suite('producer')

produce(
  'records appended at the same time go into one request, and records during a request go into the next',
  async () => {
    const { hold, release } = held()
    const brokers = fakeBrokers(always, undefined, hold)
    const { send: append } = producerOf(brokers)
    const first = [append(chat('a')), append(of('calls', 3, 'b'))]
    await turn()
    const second = [append(chat('c')), append(chat('d'))]
    await turn()
    release()
    await turn()
    release()

    assert.equal(await Promise.all([...first, ...second]), [durable, durable, durable, durable])
    assert.equal(brokers.sent, [['chats/0: 1', 'calls/3: 1'], ['chats/0: 2']])
  },
)

produce('a broker that does not answer delays only the partitions that it leads', async () => {
  const { hold, release } = held()
  const brokers = fakeBrokers(
    always,
    (_, partition) => partition,
    async (leader) => (leader === 1 ? hold() : undefined),
  )
  const { send: append } = producerOf(brokers)
  const stuck = append(of('chats', 1, 'stuck'))

  assert.equal(await append(of('chats', 2, 'a')), durable)
  assert.equal(await append(of('chats', 2, 'b')), durable)
  release()
  assert.equal(await stuck, durable)
})

produce('the size of a batch is limited, and a larger record has its own batch', async () => {
  const compressed: boolean[] = []
  const brokers = fakeBrokers(({ isCompressed }) => {
    compressed.push(isCompressed)
    return 'taken'
  })
  const limits = { ...wide, batch: { records: 3, bytes: 1_000 } }
  const { send: append } = producerOf(brokers, limits)

  await Promise.all(['1', '2', '3', '4', 'x'.repeat(2_000), '5'].map((value) => append(chat(value))))

  assert.equal(brokers.sent.flat(), ['chats/0: 3', 'chats/0: 1', 'chats/0: 1', 'chats/0: 1'])
  assert.equal(compressed, [false, false, true, false])
})

produce(
  'acknowledged records are settled and never sent again, even if another partition of the response fails',
  async () => {
    let failures = 5
    const brokers = fakeBrokers(({ topic }) =>
      topic === 'quarantine' && failures-- > 0 ? 'NOT_ENOUGH_REPLICAS' : 'taken',
    )
    const { send: append, pauses, waiting } = producerOf(brokers)
    const failing = append(of('quarantine', 0, 'q1'))
    const others = await Promise.all(['a', 'b', 'c'].map((value, i) => append(of('chats', i, value))))
    const later = append(of('quarantine', 0, 'q2'))

    assert.equal(others, [durable, durable, durable])
    assert.equal(waiting().failing, [{ topic: 'quarantine', reason: 'NOT_ENOUGH_REPLICAS: NOT_ENOUGH_REPLICAS' }])
    assert.equal(await Promise.all([failing, later]), [durable, durable])
    assert.equal(
      [...brokers.log].sort(),
      [
        ['chats/0', ['a']],
        ['chats/1', ['b']],
        ['chats/2', ['c']],
        ['quarantine/0', ['q1', 'q2']],
      ].sort(),
    )
    assert.equal(pauses, [38, 75, 150, 300, 600])
    assert.equal(waiting().failing, [])
  },
)

produce('an unknown topic delays only its own records', async () => {
  const brokers = fakeBrokers(always)
  const { send: append, unknown } = producerOf(brokers)
  unknown.add('quarantine')
  const missing = append(of('quarantine', 0, 'q'))

  assert.equal(await append(chat('a')), durable)
  unknown.clear()
  assert.equal(await missing, durable)
})

produce('a topic whose records cannot be sent leaves buffer space for other topics', async () => {
  const limits = { ...wide, waiting: { records: 2, bytes: 1_000 } }
  const {
    send: append,
    waiting,
    stop,
  } = producerOf(
    fakeBrokers(({ topic }) => (topic === 'quarantine' ? 'NOT_ENOUGH_REPLICAS' : 'taken')),
    limits,
  )
  append(of('quarantine', 0, '1'))
  append(of('quarantine', 0, '2'))

  const refused = await append(of('quarantine', 0, '3'))
  const other = await append(chat('a'))

  assert.equal(
    [refused, other],
    [E.left({ kind: 'transient', reason: "the producer's buffer for this topic is full" }), durable],
  )
  assert.is(waiting().records, 2)
  await stop(0)
})

produce('only the record that can never be accepted is refused', async () => {
  const brokers = fakeBrokers((_, values) => (values.includes('bad') ? 'MESSAGE_TOO_LARGE' : 'taken'))
  const { send: append, pauses } = producerOf(brokers)

  const outcomes = await Promise.all(['a', 'b', 'bad', 'c', 'd'].map((value) => append(chat(value))))

  const refused = E.left({ kind: 'too-large' as const, reason: 'MESSAGE_TOO_LARGE' })
  assert.equal(outcomes, [durable, durable, refused, durable, durable])
  assert.equal([brokers.log.get('chats/0'), pauses], [['a', 'b', 'c', 'd'], []])
})

produce('a stopped producer sends waiting records and refuses new ones', async () => {
  const { hold, release } = held()
  const brokers = fakeBrokers(always, undefined, hold)
  const { send: append, stop } = producerOf(brokers)
  const waiting = [append(chat('a')), append(chat('b'))]
  await turn()

  const stopped = stop(draining)
  const late = append(chat('c'))
  release()
  await stopped

  assert.equal(await Promise.all(waiting), [durable, durable])
  assert.equal(await late, E.left({ kind: 'transient', reason: 'stopping' }))
  assert.is(brokers.open.size, 0)
})

produce('a stopped producer gives up records without an answer after its time limit', async () => {
  const { send: append, stop, waiting } = producerOf(fakeBrokers(always, undefined, () => new Promise(nothing)))
  const unanswered = append(chat('a'))
  await turn()

  await stop(10)

  assert.equal(await unanswered, E.left({ kind: 'transient', reason: 'stopped before Kafka acknowledged the record' }))
  assert.is(waiting().records, 0)
})

const fate = fc.constantFrom<Fate>(
  'taken',
  'taken',
  'taken and lost',
  'lost',
  'NOT_ENOUGH_REPLICAS',
  'REQUEST_TIMED_OUT',
)
const given = fc.array(fc.record({ bad: fc.boolean(), wait: fc.boolean(), partition: fc.nat(2) }), { maxLength: 30 })

produce(
  'under any failures, each record is settled once and is in the log once, and no record overtakes another',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        given,
        fc.array(fate, { maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        async (all, fates, records) => {
          const brokers = fakeBrokers(
            (_, values) =>
              values.some((value) => value.endsWith('bad')) ? 'INVALID_RECORD' : (fates.shift() ?? 'taken'),
            (_, partition) => partition % 2,
          )
          const { send: append, waiting, stop } = producerOf(brokers, { ...wide, batch: { records, bytes: 1_000 } })
          const settled: Array<Promise<E.Either<unknown, void>>> = []
          for (const [i, { bad, wait, partition }] of all.entries()) {
            settled.push(append(of('chats', partition, bad ? `${i}bad` : String(i))))
            if (wait) await turn()
          }

          const outcomes = await Promise.all(settled)

          for (const partition of [0, 1, 2]) {
            const good = all.flatMap((each, i) => (each.bad || each.partition !== partition ? [] : [String(i)]))
            assert.equal(brokers.log.get(`chats/${partition}`) ?? [], good)
          }
          assert.equal(
            outcomes.map(E.isRight),
            all.map(({ bad }) => !bad),
          )
          assert.is(waiting().records, 0)
          await stop(0)
          await turn()
          assert.is(brokers.open.size, 0)
        },
      ),
      { numRuns: 300 },
    )
  },
)

produce.run()
