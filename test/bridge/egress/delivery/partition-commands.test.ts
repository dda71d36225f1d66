import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { commandsOfPartition, finderIn } from '../../../../src/bridge/egress/delivery/partition-commands.ts'
import { accountIn, commandMemory } from '../../../../src/bridge/egress/delivery/take-commands.ts'
import { budget } from '../../../../src/bridge/shared/budget.ts'
import { keyedQueue } from '../../../../src/bridge/shared/keyed-queue.ts'
import { memoryLog, ownership } from '../support/log.ts'
import { virtualTime } from '../support/time.ts'
import { silentLog } from '../support/values.ts'

const test = suite('the commands of a partition')

/** Every command ends when `end` is called. The log has one command of each chat. */
const setUp = (deferredAtMost: number) => {
  const time = virtualTime()
  const log = memoryLog(() => 0)
  const owned = ownership(log, 'bot-replies')
  const deferring = budget(deferredAtMost)
  const running = new Map<number, () => void>()
  const begun: number[] = []
  const work = commandsOfPartition({
    partition: 0,
    owned: owned.partition,
    stopping: new AbortController().signal,
    ports: {
      fetchCommands: async (_, from) => ({ from, records: log.records['bot-replies'].slice(from, from + 100) }),
      sleep: time.sleep,
      random: () => 0.5,
      log: silentLog,
      monotonic: () => 0,
    },
    accountOf: () => 'acme',
    memory: commandMemory(),
    deferring,
    queues: keyedQueue(),
    handle: ({ record: { offset } }) => {
      begun.push(offset)
      return new Promise((resolve) => {
        running.set(offset, () => {
          running.delete(offset)
          resolve('finished')
        })
      })
    },
    gone: async () => 'finished',
  })
  const read = (count: number) => {
    const first = log.records['bot-replies'].length
    for (let i = 0; i < count; i += 1) log.append('bot-replies', `acme/${first + i}`, {})
    for (const record of log.records['bot-replies'].slice(first)) work.take(record as IncomingRecord)
  }
  const end = () => {
    for (const finish of [...running.values()]) finish()
  }
  return { time, log, owned, deferring, running, begun, work, read, end }
}

test('it is paused only when too many commands are deferred, until half of them have begun', async () => {
  const { time, log, owned, running, read, end } = setUp(100)
  read(1_100)
  assert.is(owned.isPaused(), false)
  read(1)
  assert.is(owned.isPaused(), true)
  await time.until(() => running.size === 1_000)
  end()
  await time.until(() => !owned.isPaused())
  await time.until(() => running.size === 101)
  end()
  await time.until(() => log.committed['bot-replies'] === 1_101)
})

test('a record that comes again is taken once', async () => {
  const { time, log, work, read, begun } = setUp(100)
  read(3)
  for (const record of log.records['bot-replies']) work.take(record)
  await time.until(() => begun.length >= 3)
  assert.equal(begun, [0, 1, 2])
})

test('when the partition is lost, what was deferred does not count any more', async () => {
  const { owned, deferring, work, read } = setUp(100)
  read(1_150)
  assert.equal([deferring.isSpent(), owned.isPaused(), work.deferred('acme')], [true, true, 150])
  owned.lose()
  work.end()
  work.end()
  assert.equal([deferring.isSpent(), owned.isPaused(), work.deferred('acme')], [false, false, 0])
})

test('twenty thousand deferred commands are finished in the order of the log', async () => {
  const { time, log, running, begun, read, end } = setUp(200_000)
  read(20_000)
  while (begun.length < 20_000) {
    end()
    await time.until(() => running.size === 1_000)
  }
  end()
  await time.until(() => log.committed['bot-replies'] === 20_000)
  assert.equal(
    begun,
    begun.toSorted((a, b) => a - b),
  )
})

const record = (offset: number, epoch = 1) => ({ offset, epoch }) as IncomingRecord
for (const [what, from, records, offset, found] of [
  ['its record', 5, [record(5), record(7)], 7, record(7)],
  ['deleted, as the log has later ones', 5, [record(5), record(7)], 6, 'deleted'],
  ['deleted, as the log begins after it', 9, [], 8, 'deleted'],
  ['beyond the end of the fetch', 5, [record(5), record(7)], 8, 'beyond'],
  ['beyond the end of a fetch without records', 5, [], 5, 'beyond'],
  ['replaced, as its record has another epoch', 5, [record(5, 2)], 5, 'replaced'],
] as const)
  test(`what a fetch has of a deferred command: ${what}`, () =>
    assert.equal(finderIn({ from, records })({ offset, epoch: 1 }), found))

for (const [chat, account] of [
  ['acme/1', 'acme'],
  ['other/1', 'no known account'],
  ['acme', 'no known account'],
  ['/1', 'no known account'],
  ['', 'no known account'],
] as const)
  test(`the key ${JSON.stringify(chat)} is of ${account}`, () => assert.is(accountIn(chat, new Set(['acme'])), account))

test.run()
