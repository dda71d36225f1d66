import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConversationEvent } from '../../../contracts/events/index.ts'
import { topicOf } from '../../../contracts/topics.ts'
import { dated } from '../../../src/bridge/domain/dated.ts'
import { countWaiting, waitingConversations } from '../../../src/bridge/mongo/read-views.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { whoseClientWaits } from '../../../src/bridge/views/conversations.ts'
import { testDatabase } from '../../support/mongo.ts'
import { serviceEvent } from '../egress/support/values.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()
await mongo.ensureIndexes()

const turns = suite('open turns in MongoDB')

const old = '2026-01-30T12:00:00.000Z'
const now = '2026-01-31T12:00:00.000Z'
const inPartition = (partition: number, ...events: ReadonlyArray<ConversationEvent>) =>
  events.map((event, i) => ({ event: dated(event), topic: topicOf(event).name, partition, offset: i + 10 * partition }))
const conversationEvent = (...given: Parameters<typeof serviceEvent>) => serviceEvent(...given) as ConversationEvent

turns('are found by the partition of their chat and their age, unless they have ended', async () => {
  const log = [
    ...inPartition(
      1,
      conversationEvent('ClientMessageReceived', 'm1', now, 'waits'),
      conversationEvent('ClientMessageReceived', 'm2', now, 'has an agent'),
      conversationEvent('AgentJoined', 'j2', now, 'has an agent'),
      conversationEvent('ClientMessageReceived', 'm3', old, 'long gone'),
      conversationEvent('ClientMessageReceived', 'm4', old, 'long ago and now'),
      conversationEvent('ClientMessageReceived', 'm5', now, 'long ago and now'),
      conversationEvent('AgentUnavailable', 'u6', now, 'nobody there'),
    ),
    ...inPartition(2, conversationEvent('ClientMessageReceived', 'm7', now, 'elsewhere')),
  ]
  await mongo.applyChanges(log.flatMap(changesOfEvent))
  const found = async (partition: number, ...accounts: ReadonlyArray<string>) => {
    const documents = await mongo.query(waitingConversations)(partition, accounts, new Date(now))
    return documents.map(({ chatId }) => String(chatId)).sort()
  }
  assert.equal(await found(1, 'acme', 'globex'), ['long ago and now', 'nobody there', 'waits'])
  assert.equal(await found(2, 'acme'), ['elsewhere'])
  assert.equal(await found(1, 'globex'), [])
  assert.equal(await mongo.query(countWaiting)(['acme', 'globex'], new Date(now), 5_000), new Map([['acme', 4]]))
})

turns('are looked up in an index', async () => {
  const question = whoseClientWaits(['acme'], new Date(now))
  const { queryPlanner } = await db.collection('conversations').find(question).explain('queryPlanner')
  const plan = JSON.stringify(queryPlanner.winningPlan)
  assert.ok(plan.includes('IXSCAN') && !plan.includes('COLLSCAN'), plan)
})

turns.after(drop)
turns.run()
