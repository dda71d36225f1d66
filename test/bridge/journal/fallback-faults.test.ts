import { setImmediate } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { appendWithFallback, topicFallback } from '../../../src/bridge/journal/fallback.ts'
import { openIntake } from '../../../src/bridge/journal/intake.ts'
import { openJournals } from '../../../src/bridge/journal/journals.ts'
import { sleep } from '../../../src/bridge/shared/time.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { virtualClock } from './clock.ts'
import { append, idOf, noon, openAt, recordingLog, recordOf, right, unsynced } from './given.ts'
import { budgetMs, startPolicy } from './policy.ts'

const withinMs = 2_500
const given = () => startPolicy(temporaryFolder())

const policy = suite('journal: in front of the broker, with more faults')

policy("while the producer's buffer stays full the drain keeps trying, and logs nothing more", async () => {
  const { append, idle, broker, clock, lines, recover, stop } = await given()
  broker.setFull(true)
  await append(recordOf(1), withinMs)
  for (let seconds = 0; seconds < 60; seconds++) {
    await clock.pass(1_000)
    await idle()
  }
  assert.equal(
    lines.map(({ level, message }) => [level, message]),
    [
      ['warn', 'Kafka does not accept records of a topic: they go to the journal'],
      ['warn', 'the journal cannot be drained yet'],
    ],
  )
  await recover()
  assert.equal(broker.firstIds(), [1])
  await stop()
})

policy(
  'a journaled record that the broker refuses permanently becomes a dead letter, and the others continue',
  async () => {
    const { append, idle, broker, clock, rejected, keeping, recover, stop } = await given()
    broker.setFull(true)
    await Promise.all([1, 2, 3].map((id) => append(recordOf(id), withinMs)))
    broker.refusedForEver.add(2)
    keeping.fails = true
    broker.setFull(false)
    await clock.pass(1_000)
    await idle()
    assert.equal(rejected, [])
    keeping.fails = false
    await recover()
    assert.equal(rejected, [2])
    assert.equal(broker.firstIds(), [1, 3])
    await stop()
  },
)

policy('a full journal refuses records, and readiness reports it', async () => {
  const { append, broker, health, recover, stop } = await startPolicy(temporaryFolder(), undefined, undefined, {
    maxBytes: 300,
  })
  broker.setFull(true)
  const answers = await Promise.all([1, 2, 3, 4, 5].map((id) => append(recordOf(id), withinMs)))
  const full = E.left({ kind: 'transient' as const, reason: 'journal full' })
  const taken = answers.filter(E.isRight).length
  assert.equal(answers.slice(taken), Array(5 - taken).fill(full))
  assert.equal(await append(recordOf(6), withinMs), full)
  assert.is(health().ok, false)
  await recover()
  assert.is(health().ok, true)
  assert.equal(broker.firstIds().slice(0, taken), [1, 2, 3, 4, 5].slice(0, taken))
  await stop()
})

policy('a disk that hangs costs the caller only time', async () => {
  const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { append, idle, clock, broker, stop } = await startPolicy(temporaryFolder(), undefined, undefined, {
    openFile: async (path, flags) => ({
      ...(await unsynced(path, flags)),
      datasync: () => {
        reached.resolve()
        return resumed.promise
      },
    }),
  })
  broker.setFull(true)
  const answers: unknown[] = []
  append(recordOf(1), withinMs).then((answer) => answers.push(answer))
  await reached.promise
  await clock.pass(withinMs)
  assert.equal(answers, [E.left({ kind: 'transient', reason: 'not known to be durable within 2500 ms' })])
  assert.equal(await append(recordOf(2), 0), E.left({ kind: 'transient', reason: 'no time is left' }))
  resumed.resolve()
  await idle()
  await stop()
})

policy('under a steady load the journal is drained and direct sending starts again', async () => {
  const { append, idle, broker, lane, state, stop } = await given()
  broker.setFull(true)
  await append(recordOf(1), withinMs)
  broker.setFull(false)
  let id = 1
  const more = () => {
    id += 1
    const answer = append(recordOf(id), withinMs)
    answer.then(() => void (state().isFailedOver && more()))
    return answer
  }
  const answers = [more(), more(), more(), more()]
  for (let turns = 0; state().isFailedOver && turns < 100_000; turns++) {
    lane.take(3, 'now')
    await setImmediate()
  }
  assert.is(state().isFailedOver, false)
  lane.take(Number.POSITIVE_INFINITY, 'now')
  await Promise.all(answers)
  await idle()
  lane.take(Number.POSITIVE_INFINITY, 'now')
  assert.equal(
    broker.firstIds(),
    Array.from({ length: id }, (_, i) => i + 1),
  )
  await stop()
})

policy('acknowledged records are not sent again when an older record of the batch has to be repeated', async () => {
  const dir = temporaryFolder()
  const before = await openAt(dir)
  await append(before, [recordOf(1), recordOf(2), recordOf(3)])
  await before.close()
  const sent: number[] = []
  const journal = await openAt(dir)
  const over = Promise.withResolvers<void>()
  const { stop } = topicFallback('chats', journal, {
    send: async (record) => {
      sent.push(idOf(record))
      if (sent.length === 1) return E.left({ kind: 'transient', reason: 'the first partition has no leader' })
      if (sent.length === 4) over.resolve()
      return E.right(undefined)
    },
    reject: async () => undefined,
    budgetMs,
    random: () => 0,
    sleep: async () => undefined,
    log: recordingLog().log,
  })
  await over.promise
  await stop()
  assert.equal(sent, [1, 2, 3, 1])
})

policy('a topic that Kafka does not accept delays only its own records', async () => {
  const root = temporaryFolder()
  const opened = right(await openJournals({ dir: root, maxBytes: 100_000, now: () => noon, log: recordingLog().log }))
  const clock = virtualClock()
  const taken: string[] = []
  const {
    append: publish,
    state,
    stop,
  } = appendWithFallback(opened.own, {
    send: ({ topic }) => {
      if (topic === 'quarantine') return new Promise(() => undefined)
      taken.push(topic)
      return Promise.resolve(E.right(undefined))
    },
    reject: async () => undefined,
    budgetMs,
    random: () => 0,
    sleep: clock.sleep,
    log: recordingLog().log,
  })
  const late = publish({ ...recordOf(1), topic: 'quarantine' }, withinMs)
  assert.equal(await publish(recordOf(2), withinMs), E.right('kafka'))
  await clock.pass(budgetMs)
  assert.equal(await late, E.right('journal'))
  assert.equal(await publish({ ...recordOf(3), topic: 'calls' }, withinMs), E.right('kafka'))
  assert.equal(await publish({ ...recordOf(4), topic: 'quarantine' }, withinMs), E.right('journal'))
  assert.equal(taken, ['chats', 'calls'])
  assert.equal(state().failedOver, ['quarantine'])
  assert.is(state().records, 2)
  await stop()
  await opened.close()
})

for (const [how, send] of [
  [
    'throws',
    () => {
      throw new Error('a bug of the producer')
    },
  ],
  ['rejects', () => Promise.reject(new Error('a bug of the producer'))],
] as const)
  policy(`a record is in the journal if the producer ${how}`, async () => {
    const { log } = recordingLog()
    const given = { dataDir: temporaryFolder(), maxBytes: 100_000, reject: async () => {}, now: () => noon, sleep, log }
    const { append, stop } = right(E.mapLeft((reason: string) => ({ reason }))(await openIntake({ ...given, send })))
    assert.equal(await append(recordOf(1), 60_000), E.right('journal'))
    await stop()
  })

policy.run()
