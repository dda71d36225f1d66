import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import type { Instant } from '../../../../contracts/primitives.ts'
import { keyOf } from '../../../../contracts/topics.ts'
import { factOf } from '../../../../src/bridge/domain/conversation-facts.ts'
import { dated } from '../../../../src/bridge/domain/dated.ts'
import {
  type ChatOrCommand,
  conversationReader,
  type ReadViews,
} from '../../../../src/bridge/egress/conversation/known-conversation.ts'
import { conversationTail, type Tail } from '../../../../src/bridge/egress/conversation/tail.ts'
import { outcomeEvent } from '../../../../src/bridge/egress/delivery/outcome.ts'
import { conversationEvents } from '../support/arbitraries.ts'
import { project } from '../support/project.ts'
import { botMessage, serviceEvent } from '../support/values.ts'

const viewsTo = (offset: number) => ({ offset, isOfThisLog: true })

const knownConversation = (views: ReadViews, tail: Tail, partition: number, about: ChatOrCommand) =>
  conversationReader(views, tail)(partition, about)

const test = suite('the current state of a conversation')

const viewsOf =
  (events: () => ReadonlyArray<ConversationEvent>): ReadViews =>
  async (_, chat, delivery) => {
    const views = project(events())
    return { conversation: views.conversations.get(chat ?? ''), delivery: views.deliveries.get(delivery ?? '') }
  }
const tailFrom = (events: ReadonlyArray<ConversationEvent>, from: number) => {
  const tail = conversationTail()
  tail.begin(0, viewsTo(from))
  events.forEach((event, offset) => {
    const fact = factOf(dated(event))
    if (fact !== undefined && offset >= from) tail.add(0, keyOf(event), fact, offset)
  })
  return tail
}
const command = botMessage('c1')
const delivered = (id: string) =>
  outcomeEvent({
    command: botMessage(id),
    outcome: { kind: 'delivered' },
    attempts: [],
    requestedAt: '2026-01-31T12:00:00.000Z' as Instant,
    time: '2026-01-31T12:00:00.000Z' as Instant,
  })

test('views of any part of the log and a tail from any offset give the same result as the whole log', async () => {
  await fc.assert(
    fc.asyncProperty(conversationEvents, fc.nat(25), fc.nat(25), async (events, a, b) => {
      const [begin, applied] = [Math.min(a, b), Math.max(a, b)]
      const views = viewsOf(() => events.slice(0, applied))
      const told = await knownConversation(views, tailFrom(events, begin), 0, command)()
      const whole = await knownConversation(
        viewsOf(() => events),
        conversationTail(),
        0,
        command,
      )()
      assert.equal(told, whole)
    }),
    { numRuns: 1000 },
  )
})

test('a cached conversation gives the same result as the whole log, even after evictions, and is not read again', async () => {
  await fc.assert(
    fc.asyncProperty(conversationEvents, fc.array(fc.nat(25), { maxLength: 5 }), async (events, evictions) => {
      const tail = conversationTail()
      tail.begin(0, viewsTo(0))
      let [position, readings] = [0, 0]
      const views: ReadViews = async (account, chat, delivery) => {
        readings += chat === undefined ? 0 : 1
        return viewsOf(() => events.slice(0, tail.floor(0)))(account, chat, delivery)
      }
      for (const until of [...evictions.toSorted((a, b) => a - b), events.length]) {
        for (const event of events.slice(position, until)) {
          const fact = factOf(dated(event))
          if (fact !== undefined) tail.add(0, keyOf(event), fact, position)
          position += 1
        }
        const told = await knownConversation(views, tail, 0, command)()
        const whole = viewsOf(() => events.slice(0, position))
        assert.equal(told, await knownConversation(whole, conversationTail(), 0, command)())
        tail.evict(0, viewsTo(Math.min(until, position)))
      }
      assert.is(readings, 1)
    }),
    { numRuns: 1000 },
  )
})

test('a cached conversation is read again after some time', async () => {
  const tail = tailFrom([], 0)
  let readings = 0
  const views: ReadViews = async (account, chat, delivery) => {
    readings += chat === undefined ? 0 : 1
    return viewsOf(() => [])(account, chat, delivery)
  }
  for (let offset = 1; offset <= 20; offset += 1) {
    await knownConversation(views, tail, 0, command)()
    tail.evict(0, viewsTo(offset))
  }
  assert.is(readings, 3)
})

test('a cached chat with all its events is not read from the views again, also for a finished command', async () => {
  const events = [serviceEvent('AgentJoined', 'j1'), delivered('c1')] as ReadonlyArray<ConversationEvent>
  const tail = tailFrom([], 0)
  let readings = 0
  const views: ReadViews = async (...ids) => {
    readings += 1
    return viewsOf(() => events)(...ids)
  }
  const before = await knownConversation(views, tail, 0, botMessage('c2'))()
  assert.equal([before.conversation.state, before.isFinished, before.isWhole], ['agent', false, true])
  assert.equal(await knownConversation(views, tail, 0, botMessage('c1'))(), { ...before, isFinished: true })
  assert.equal(await knownConversation(views, tail, 0, botMessage('c3'))(), before)
  assert.is(readings, 1)
})

test('if a cached chat lacks its oldest events, the documents of deliveries decide about its commands', async () => {
  const messages = Array.from({ length: 200 }, (_, n) => serviceEvent('ClientMessageReceived', `m${n}`))
  const events = [delivered('c1'), ...messages] as ReadonlyArray<ConversationEvent>
  const tail = tailFrom([], 0)
  let isAway = false
  const asked: Array<ReadonlyArray<string | undefined>> = []
  const views: ReadViews = async (...ids) => {
    asked.push(ids)
    return isAway ? undefined : viewsOf(() => events)(...ids)
  }
  const finished = async (id: string) => {
    const { isFinished, isWhole } = await knownConversation(views, tail, 0, botMessage(id))()
    return [isFinished, isWhole]
  }
  assert.equal(await finished('c2'), [false, true])
  assert.equal(await finished('c1'), [true, true])
  isAway = true
  assert.equal(await finished('c3'), [false, false])
  assert.equal(asked, [
    ['acme', 'acme/2037', 'acme/2037/c2'],
    ['acme', undefined, 'acme/2037/c1'],
    ['acme', undefined, 'acme/2037/c3'],
  ])
})

test('if facts are evicted while the views are being read, the views are read again', async () => {
  const events = [serviceEvent('AgentJoined', 'j1')] as ReadonlyArray<ConversationEvent>
  const tail = tailFrom(events, 0)
  let readings = 0
  const views: ReadViews = async (...ids) => {
    readings += 1
    const known = await viewsOf(() => (readings === 1 ? [] : events))(...ids)
    tail.evict(0, viewsTo(1))
    return known
  }
  const { conversation } = await knownConversation(views, tail, 0, command)()
  assert.equal([conversation.state, readings], ['agent', 2])
})

test('if the views cannot be read, the tail alone decides, and the next call reads the views again', async () => {
  const tail = tailFrom([serviceEvent('AgentJoined', 'j1')] as ReadonlyArray<ConversationEvent>, 0)
  let isAway = true
  const views: ReadViews = async (...ids) => (isAway ? undefined : viewsOf(() => [])(...ids))
  const now = knownConversation(views, tail, 0, command)
  const { conversation } = await now()
  assert.equal([conversation.state, conversation.seen, conversation.clientId], ['agent', ['bot/j1'], '1233'])
  assert.equal(await now(), { conversation, isFinished: false, isWhole: false })
  isAway = false
  assert.equal(await now(), { conversation, isFinished: false, isWhole: true })
})

test.run()
