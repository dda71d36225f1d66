import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../../contracts/topics.ts'
import { type Brokers, nextRequests } from '../../../../src/bridge/kafka/produce/broker-requests.ts'

const limits = { records: 10, bytes: 1_000 }
const queue = (topic: TopicName, partition: number, records = 1, bytes = 1) => ({
  topic,
  partition,
  size: () => ({ records, bytes }),
})
/** Broker 1 leads the even partitions, broker 2 the odd ones. Nobody leads partition 9. */
const brokers: Brokers = {
  isPrepared: () => true,
  leaderOf: (_, partition) => (partition === 9 ? undefined : 1 + (partition % 2)),
  isBusy: () => false,
}
const of = (due: ReadonlyArray<ReturnType<typeof queue>>, known: Partial<Brokers> = {}) => {
  const { requests, leaderless } = nextRequests(due, { ...brokers, ...known }, limits)
  const name = ({ topic, partition }: (typeof due)[number]) => `${topic}/${partition}`
  return {
    requests: Object.fromEntries([...requests].map(([leader, queues]) => [leader, queues.map(name)])),
    leaderless: leaderless.map(name),
  }
}

const rows: ReadonlyArray<readonly [string, ReturnType<typeof of>, ReturnType<typeof of>]> = [
  [
    'each broker gets the partitions that it leads, in their order',
    of([queue('chats', 2), queue('chats', 1), queue('calls', 0)]),
    { requests: { 1: ['chats/2', 'calls/0'], 2: ['chats/1'] }, leaderless: [] },
  ],
  [
    'a busy broker gets no second request',
    of([queue('chats', 0), queue('chats', 1)], { isBusy: (leader) => leader === 1 }),
    { requests: { 2: ['chats/1'] }, leaderless: [] },
  ],
  [
    'a topic whose leaders are not known yet waits',
    of([queue('chats', 9), queue('calls', 0)], { isPrepared: (topic) => topic !== 'chats' }),
    { requests: { 1: ['calls/0'] }, leaderless: [] },
  ],
  [
    'a partition without a leader is in no request',
    of([queue('chats', 9), queue('chats', 0)]),
    { requests: { 1: ['chats/0'] }, leaderless: ['chats/9'] },
  ],
  [
    'a request ends before the batch that exceeds its records',
    of([queue('chats', 0, 6), queue('chats', 2, 5), queue('chats', 4, 1)]),
    { requests: { 1: ['chats/0'] }, leaderless: [] },
  ],
  [
    'a request ends before the batch that exceeds its bytes',
    of([queue('chats', 0, 1, 600), queue('chats', 2, 1, 400), queue('chats', 4, 1, 1)]),
    { requests: { 1: ['chats/0', 'chats/2'] }, leaderless: [] },
  ],
  [
    'a batch above the limits is sent alone',
    of([queue('chats', 0, 1, 2_000), queue('chats', 2)]),
    { requests: { 1: ['chats/0'] }, leaderless: [] },
  ],
]

const next = suite('next requests')
for (const [name, is, expected] of rows) next(name, () => assert.equal(is, expected))
next.run()
