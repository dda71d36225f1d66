import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { botReplies, chats, deadLetters, enrichments } from '../../../contracts/topics.ts'
import { appliedConfig, configOf, reportOf, type TopicState } from '../../../src/bridge/kafka/topics/settings.ts'

const defaults = { topicPrefix: 'livechat.', partitions: 12, replication: 3 }

const stateOf = (given: Partial<TopicState> = {}): TopicState => ({
  partitions: 12,
  replication: 3,
  brokers: 3,
  config: configOf(chats, 3),
  ownConfig: {},
  ...given,
})

const settings = suite('topic settings')

settings(
  "a topic is created with its clean-up, the broker's times, and two in-sync replicas if there are three replicas",
  () => {
    const times = { 'message.timestamp.type': 'LogAppendTime' }
    assert.equal(
      [configOf(chats, 3), configOf(botReplies, undefined), configOf(enrichments, 1), configOf(deadLetters, 1)],
      [
        {
          'cleanup.policy': 'delete',
          'retention.ms': '-1',
          'retention.bytes': '-1',
          'segment.ms': '86400000',
          'max.message.bytes': '7340032',
          ...times,
          'min.insync.replicas': '2',
        },
        {
          'cleanup.policy': 'delete',
          'retention.ms': '604800000',
          'retention.bytes': '-1',
          'max.message.bytes': '4194304',
          ...times,
        },
        {
          'cleanup.policy': 'compact',
          'max.compaction.lag.ms': '86400000',
          'delete.retention.ms': '86400000',
          'max.message.bytes': '4194304',
          ...times,
        },
        {
          'cleanup.policy': 'delete',
          'retention.ms': '1209600000',
          'retention.bytes': '-1',
          'max.message.bytes': '8388608',
          ...times,
        },
      ],
    )
  },
)

settings('a topic with the settings of the bridge has no differences', () => {
  assert.equal(reportOf(chats, defaults, stateOf(), true), {
    name: 'livechat.chats',
    key: '<account id>/<chat id>',
    partitions: 12,
    replication: 3,
    cleanUp: 'kept for ever',
    created: true,
    differences: [],
  })
})

settings('a setting that will make Kafka refuse records for good is reported with what it does', () => {
  const off = '9223372036854775807'
  const rows: ReadonlyArray<readonly [Readonly<Record<string, string>>, Partial<TopicState>, ReadonlyArray<string>]> = [
    [{ 'message.timestamp.after.max.ms': '1000' }, {}, []],
    [
      {
        'message.timestamp.type': 'CreateTime',
        'message.timestamp.after.max.ms': '3600000',
        'message.timestamp.before.max.ms': off,
      },
      {},
      [
        'message.timestamp.type is CreateTime, not LogAppendTime',
        'records are refused for good while a clock of the bridge is more than 3600 s fast (message.timestamp.after.max.ms)',
      ],
    ],
    [
      {
        'message.timestamp.type': 'CreateTime',
        'message.timestamp.after.max.ms': '500',
        'message.timestamp.before.max.ms': '60000',
      },
      {},
      [
        'message.timestamp.type is CreateTime, not LogAppendTime',
        'records are refused for good while a clock of the bridge is more than 0.5 s fast (message.timestamp.after.max.ms) or 60 s slow (message.timestamp.before.max.ms)',
      ],
    ],
    [
      { 'message.timestamp.type': 'CreateTime', 'message.timestamp.difference.max.ms': off },
      {},
      ['message.timestamp.type is CreateTime, not LogAppendTime'],
    ],
    [
      { 'min.insync.replicas': '3' },
      { replication: 2 },
      ['replication is 2, not 3', 'min.insync.replicas is 3 with replication 2: no record is accepted'],
    ],
  ]
  for (const [config, given, expected] of rows) {
    const state = stateOf({ ...given, config: { ...configOf(chats, 3), ...config } })
    assert.equal(reportOf(chats, defaults, state, false).differences, expected)
  }
})

settings('a larger limit of records is as good, and a smaller one is reported with what it does', () => {
  const differencesOf = (bytes: string) => {
    const config = { ...configOf(chats, 3), 'max.message.bytes': bytes }
    return reportOf(chats, defaults, stateOf({ config }), false).differences
  }
  assert.equal(
    [differencesOf('16777216'), differencesOf('1048588')],
    [[], ['max.message.bytes is 1048588, not 7340032: larger records are refused']],
  )
})

settings('each difference is reported', () => {
  const config = { ...configOf(chats, 3), 'retention.ms': '86400000' }

  const { cleanUp, differences } = reportOf(chats, defaults, stateOf({ partitions: 6, replication: 1, config }), false)

  assert.is(cleanUp, 'kept 1 day')
  assert.equal(differences, [
    'partitions is 6, not 12',
    'replication is 1, not 3',
    'retention.ms is 86400000, not -1',
    'min.insync.replicas is 2 with replication 1: no record is accepted',
  ])
})

settings('fewer than two in-sync replicas are reported on three brokers, for any wanted number', () => {
  const differencesOf = (brokers: number, minimum: string) => {
    const config = { ...configOf(chats, 3), 'min.insync.replicas': minimum }
    return reportOf(chats, { ...defaults, replication: undefined } as never, stateOf({ brokers, config }), false)
      .differences
  }
  assert.equal(
    [differencesOf(3, '1'), differencesOf(3, '2'), differencesOf(3, '3'), differencesOf(1, '1')],
    [['min.insync.replicas is 1, not 2: the loss of one broker may lose acknowledged records'], [], [], []],
  )
})

settings('a missing topic is reported as missing, with the reason why it cannot be created', () => {
  assert.equal(reportOf(chats, defaults, undefined, false).differences, ['does not exist'])
  assert.equal(reportOf(chats, defaults, undefined, false, 'TOPIC_AUTHORIZATION_FAILED').differences, [
    'does not exist and cannot be created: TOPIC_AUTHORIZATION_FAILED',
  ])
})

settings('other settings are kept when the settings of the bridge are applied', () => {
  const larger = { 'min.insync.replicas': '3', 'max.message.bytes': '9437184' }
  const ownConfig = { 'retention.ms': '1', 'segment.bytes': '1048576', ...larger }

  assert.equal(appliedConfig(chats, stateOf({ ownConfig })), {
    ...configOf(chats, 3),
    'segment.bytes': '1048576',
    ...larger,
  })
})

settings.run()
