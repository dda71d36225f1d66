import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { LogMark } from '../../../src/bridge/domain/log/positions.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import type { Broker, Cluster } from '../../../src/bridge/kafka/admin.ts'
import {
  compareLogOf,
  decodeEpochsResponse,
  type EpochEnds,
  encodeEpochsRequest,
  epochEndsOf,
} from '../../../src/bridge/kafka/leader-epochs.ts'
import { type Committed, committedOffsetsOf, ownOffsetsOf, validCommitsOf } from '../../../src/bridge/kafka/offsets.ts'

type Batch = { readonly epoch: number; readonly from: number; readonly timestamp?: number }

/** A leader's log: the epochs with their first offsets, the end, and the leader's own epoch. */
const logOf = (batches: ReadonlyArray<Batch>, end: number, leader: number) => {
  const epochEnds: EpochEnds = async (_, epochs) =>
    new Map(
      [...epochs].map(([partition, wanted]) => {
        if (wanted > leader) return [partition, { epoch: -1, end: -1 }]
        const last = batches.findLast(({ epoch }) => epoch <= wanted)
        const next = batches.find(({ epoch }) => epoch > wanted)
        return [partition, { epoch: wanted === leader ? leader : (last?.epoch ?? wanted), end: next?.from ?? end }]
      }),
    )
  const fetchRecord = async (_: unknown, partition: number, offset: number): Promise<IncomingRecord | undefined> => {
    const batch = batches.findLast(({ from }) => from <= offset)
    if (batch === undefined || offset >= end) return undefined
    const { epoch, timestamp = 1 } = batch
    return { topic: 'chats', partition, offset, epoch, timestamp, key: null, value: null, headers: {} }
  }
  return compareLogOf(epochEnds, fetchRecord)
}

const epochs = suite('leader epochs')

epochs('a request names the topic, and each partition with its epoch', () => {
  const expected = `ffffffff 00000001 0001 74 00000002 00000003 ffffffff 00000005 00000004 ffffffff 00000006`
  const wanted = [
    { partition: 3, epoch: 5 },
    { partition: 4, epoch: 6 },
  ]
  assert.is(encodeEpochsRequest('t', wanted).toString('hex'), expected.replaceAll(' ', ''))
})

epochs('a response has the end of each epoch, or throws the error of a partition', () => {
  const response = (error: string) =>
    Buffer.from(
      `00000000 00000001 0001 74 00000002 ${error} 00000003 00000005 000000000000001e
       0000 00000004 00000006 0000000000000028`.replaceAll(/\s/g, ''),
      'hex',
    )
  assert.equal(
    [...decodeEpochsResponse(response('0000'))],
    [
      [3, { epoch: 5, end: 30 }],
      [4, { epoch: 6, end: 40 }],
    ],
  )
  assert.throws(() => decodeEpochsResponse(response('0006')), /not the leader/)
})

/** The answer of a leader: epoch 5 of partition 0 ends before 30. */
const answer = Buffer.from(
  '00000000 00000001 0001 74 00000001 0000 00000000 00000005 000000000000001e'.replaceAll(' ', ''),
  'hex',
)

/** Brokers by their ids, with the newest version of the request that each knows. They lead partition 0, 1, 2, … */
const clusterOf = (versions: ReadonlyArray<number | undefined>, fails = 0) => {
  const asked: Array<readonly [broker: number, request: string]> = []
  const target = new Set<string>()
  const questions = { count: 0 }
  let isRefreshed = false
  const cluster: Partial<Cluster> = {
    addTargetTopic: async (topic) => void target.add(topic),
    refreshMetadataIfNecessary: async () => {
      isRefreshed = true
    },
    findTopicPartitionMetadata: (topic) =>
      target.has(topic) && isRefreshed ? versions.map((_, i) => ({ partitionId: i, leader: i })) : [],
    findBroker: async ({ nodeId }) => {
      const maxVersion = versions[nodeId]
      const broker: Pick<Broker, 'versions' | 'connectionPool'> = {
        versions: maxVersion === undefined ? {} : { 23: { maxVersion } },
        connectionPool: {
          send: async (call) => {
            const { request, response } = call as {
              request: { apiKey: number; apiVersion: number; encode: () => Promise<{ buffer: Buffer }> }
              response: { decode: (bytes: Buffer) => Promise<unknown>; parse: (data: unknown) => Promise<unknown> }
            }
            const { buffer } = await request.encode()
            asked.push([nodeId, `${request.apiKey} ${request.apiVersion} ${buffer.toString('hex')}`])
            return response.parse(await response.decode(answer))
          },
        },
      }
      return broker as Broker
    },
  }
  const ask = async <A>(question: (asked: Cluster) => Promise<A>): Promise<A> => {
    if (questions.count++ < fails) throw new Error('the leader has changed')
    return question(cluster as Cluster)
  }
  return { ends: epochEndsOf(ask, 't.'), asked, questions }
}

epochs('the leader of each wanted partition is asked, unless it is too old to know the epochs', async () => {
  const { ends, asked } = clusterOf([3, 2, undefined, 3])
  const wanted = new Map([0, 1, 2].map((partition) => [partition, 5]))
  assert.equal([...(await ends('chats', wanted))], [[0, { epoch: 5, end: 30 }]])
  const request = encodeEpochsRequest('t.chats', [{ partition: 0, epoch: 5 }])
  assert.equal(asked, [[0, `23 3 ${request.toString('hex')}`]])
})

epochs('a leader that has changed is found by another question, and without partitions there is none', async () => {
  const { ends, questions } = clusterOf([3], 1)
  assert.equal([(await ends('chats', new Map([[0, 5]]))).size, questions.count], [1, 2])
  assert.equal([(await ends('chats', new Map())).size, questions.count], [0, 2])
})

const mark: LogMark = { epoch: 4, offset: 39, timestamp: 1 }
for (const [name, compare, expected] of [
  ['the record is there', logOf([{ epoch: 4, from: 0 }], 40, 4), { kind: 'intact' }],
  [
    'it was followed by others',
    logOf(
      [
        { epoch: 4, from: 0 },
        { epoch: 6, from: 41 },
      ],
      50,
      6,
    ),
    { kind: 'intact' },
  ],
  ['the end is lost', logOf([{ epoch: 4, from: 0 }], 30, 5), { kind: 'cut', from: 30 }],
  [
    'the end is lost and filled again',
    logOf(
      [
        { epoch: 4, from: 0 },
        { epoch: 5, from: 30 },
      ],
      50,
      5,
    ),
    { kind: 'cut', from: 30 },
  ],
  [
    'the whole epoch is lost',
    logOf(
      [
        { epoch: 3, from: 0 },
        { epoch: 5, from: 20 },
      ],
      50,
      5,
    ),
    { kind: 'cut', from: 20 },
  ],
  ['the end is lost with this record', logOf([{ epoch: 4, from: 0 }], 39, 5), { kind: 'cut', from: 39 }],
  ['the same epoch ends with the record before', logOf([{ epoch: 4, from: 0 }], 39, 4), { kind: 'replaced', from: 39 }],
  ['its record was deleted', logOf([{ epoch: 4, from: 40 }], 50, 4), { kind: 'intact' }],
  ['the same epoch is shorter', logOf([{ epoch: 4, from: 0 }], 30, 4), { kind: 'replaced', from: 30 }],
  [
    'the same epoch has other records',
    logOf([{ epoch: 4, from: 0, timestamp: 2 }], 50, 4),
    { kind: 'replaced', from: 0 },
  ],
  ['the epochs are older', logOf([{ epoch: 3, from: 0 }], 50, 3), { kind: 'replaced', from: 0 }],
] as const)
  epochs(`compared with a record that was read: ${name}`, async () => {
    assert.equal([...(await compare('chats', new Map([[0, mark]])))], [[0, expected]])
  })

epochs('compared with a record of the first epoch: the record is there, or the end is lost', async () => {
  const first = new Map([[0, { epoch: 0, offset: 39, timestamp: 1 }]])
  assert.equal([...(await logOf([{ epoch: 0, from: 0 }], 40, 0)('chats', first))], [[0, { kind: 'intact' }]])
  for (const leader of [1, 2])
    assert.equal(
      [...(await logOf([{ epoch: 0, from: 0 }], 30, leader)('chats', first))],
      [[0, { kind: 'cut', from: 30 }]],
    )
})

epochs('compared with a record that was read: another epoch has its offset', async () => {
  const compare = compareLogOf(
    async (_, wanted) => new Map([...wanted].map(([partition, epoch]) => [partition, { epoch, end: 50 }])),
    async (topic, partition, offset) => ({
      topic,
      partition,
      offset,
      epoch: 3,
      timestamp: 1,
      key: null,
      value: null,
      headers: {},
    }),
  )
  assert.equal([...(await compare('chats', new Map([[0, mark]])))], [[0, { kind: 'replaced', from: 0 }]])
})

epochs('if nobody says whether the log has a newer epoch, it may get the lost offsets again', async () => {
  const compare = compareLogOf(
    async (_, wanted) => new Map([...wanted].flatMap(([at, epoch]) => (epoch === 4 ? [[at, { epoch, end: 30 }]] : []))),
    async () => undefined,
  )
  assert.equal([...(await compare('chats', new Map([[0, mark]])))], [[0, { kind: 'replaced', from: 30 }]])
})

epochs('a broker without leader epochs is believed', async () => {
  const compare = compareLogOf(
    async () => new Map(),
    async () => undefined,
  )
  assert.equal([...(await compare('chats', new Map([[0, mark]])))], [[0, { kind: 'intact' }]])
})

for (const [name, commit, expected, own] of [
  ['of this topic and log', { offset: 40, topicId: 'a', epoch: 4 }, 40, 40],
  ['without an epoch', { offset: 40, topicId: 'a' }, 40, 40],
  ['of another program', { offset: 40, topicId: '' }, 40, undefined],
  ['of an earlier topic of that name', { offset: 40, topicId: 'b', epoch: 4 }, undefined, undefined],
  ['whose record is lost', { offset: 60, topicId: 'a', epoch: 4 }, 50, 50],
] satisfies ReadonlyArray<readonly [string, Committed, number | undefined, number | undefined]>)
  epochs(`a commit ${name}`, async () => {
    const valid = validCommitsOf({
      committed: async () => new Map([[0, commit]]),
      topicIds: async () => new Map([['chats', 'a']]),
      compareLog: logOf(
        [
          { epoch: 4, from: 0 },
          { epoch: 5, from: 50 },
        ],
        70,
        5,
      ),
    })
    assert.is((await committedOffsetsOf(valid)('group', 'chats')).get(0), expected)
    assert.is((await ownOffsetsOf(valid)('group', 'chats')).get(0), own)
  })

epochs.run()
