import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { botReplies, chats, enrichments } from '../../contracts/topics.ts'
import { configOf, reportOf } from '../../src/kafka/topic-settings.ts'

const defaults = { topicPrefix: 'livechat.', partitions: 12, replication: 3 }

const settings = suite('topic settings')

settings('a topic is created with its clean-up, and with two in-sync replicas where there are three', () => {
  assert.equal(
    [configOf(chats, 3), configOf(botReplies, undefined), configOf(enrichments, 1)],
    [
      {
        'cleanup.policy': 'delete',
        'retention.ms': '-1',
        'retention.bytes': '-1',
        'max.message.bytes': '4194304',
        'min.insync.replicas': '2',
      },
      {
        'cleanup.policy': 'delete',
        'retention.ms': '604800000',
        'retention.bytes': '-1',
        'max.message.bytes': '4194304',
      },
      { 'cleanup.policy': 'compact', 'max.message.bytes': '4194304' },
    ],
  )
})

settings('a topic as it would be created has no differences', () => {
  const report = reportOf(chats, defaults, { partitions: 12, replication: 3, config: configOf(chats, 3) }, true)

  assert.equal(report, {
    name: 'livechat.chats',
    key: '<account id>/<chat id>',
    partitions: 12,
    replication: 3,
    cleanUp: 'kept for ever',
    created: true,
    differences: [],
  })
})

settings('each difference is told', () => {
  const config = { ...configOf(chats, 3), 'retention.ms': '86400000', 'cleanup.policy': 'delete' }

  const { cleanUp, differences } = reportOf(chats, defaults, { partitions: 6, replication: 1, config }, false)

  assert.equal(cleanUp, '1 days')
  assert.equal(differences, ['partitions is 6, not 12', 'replication is 1, not 3', 'retention.ms is 86400000, not -1'])
})

settings('a topic that is not there is said to be missing', () => {
  assert.equal(reportOf(chats, defaults, undefined, false).differences, ['does not exist'])
})

settings.run()
