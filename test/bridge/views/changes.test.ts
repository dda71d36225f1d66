import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { dated } from '../../../src/bridge/domain/dated.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { timelineId } from '../../../src/bridge/views/timeline.ts'
import { anEvent, at } from '../../support/given-events.ts'

const changes = suite('the documents that an event changes')

const expected = {
  ChatAccepted: ['chats acme/2037', 'sessions acme/2037/agent'],
  ChatAssigned: ['chats acme/2037', 'sessions acme/2037/agent'],
  ChatUpdated: ['chats acme/2037', 'sessions acme/2037/agent'],
  ChatFinished: ['chats acme/2037', 'sessions acme/2037/agent'],
  CallStatusChanged: ['calls acme/2037'],
  ClientUpdated: ['clients acme/1233'],
  OfflineMessageReceived: ['offline_messages acme/2037/77'],
  ClientMessageReceived: ['conversations acme/2037', 'sessions acme/2037/bot'],
  AgentInvited: ['conversations acme/2037', 'sessions acme/2037/bot'],
  AgentJoined: ['conversations acme/2037', 'sessions acme/2037/bot'],
  AgentUnavailable: ['conversations acme/2037', 'sessions acme/2037/bot'],
  ChatClosed: ['conversations acme/2037', 'sessions acme/2037/bot'],
  BotReplyDelivered: ['conversations acme/2037', 'deliveries acme/2037/r1', 'sessions acme/2037/bot'],
  BotReplyFailed: ['conversations acme/2037', 'deliveries acme/2037/r1', 'sessions acme/2037/bot'],
  BotReplySuppressed: ['conversations acme/2037', 'deliveries acme/2037/r1', 'sessions acme/2037/bot'],
  // The timeline is here twice: for its entries of the topic, and for those of an earlier topic of that name.
  ClientErased: ['clients acme/1233', 'timeline acme/1233', 'timeline acme/1233'],
  ChatErased: ['chats acme/2037', 'sessions acme/2037', 'timeline acme/2037', 'timeline acme/2037'],
} satisfies Record<DomainEvent['type'], ReadonlyArray<string>>

for (const [type, documents] of Object.entries(expected)) {
  changes(`of ${type} are ${[...documents, 'its entry in timeline'].join(' and ')}`, () => {
    const event = dated(anEvent(type as DomainEvent['type'], 'e1', at('10:00:00')))
    const given = { event, topic: 'chats', partition: 0, offset: 0 } as const
    assert.equal(
      changesOfEvent(given).map(({ view, id }) => `${view} ${id}`),
      [...documents, `timeline ${timelineId(event)}`],
    )
  })
}

changes('of a command that was refused as a duplicate are only its entry in timeline', () => {
  const event = dated(anEvent('BotReplyFailed', 'e1', at('10:00:00'), { reason: 'duplicate' }))
  const documents = changesOfEvent({ event, topic: 'bot-conversations', partition: 0, offset: 0 })
  assert.equal(
    documents.map(({ view }) => view),
    ['timeline'],
  )
})

changes.run()
