import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { topicOf } from '../../../contracts/topics.ts'
import { anEvent } from '../../support/given-events.ts'
import type { Entry } from '../../support/logs.ts'
import { foldOf } from '../../support/memory-views.ts'

const start = Date.parse('2026-01-31T10:00:00.000Z')
const at = (second: number) => new Date(start + second * 1_000).toISOString()
const visitor = { number: '7', chatsCount: 1 }
const message = (n: number) =>
  anEvent('ClientMessageReceived', `m${n}`, at(n), { message: { type: 'TEXT', text: 'Hello', timestamp: at(n) } })

/** What a chat may have more of than any list keeps: its event number n. */
const kinds: Readonly<Record<string, (n: number) => DomainEvent>> = {
  'messages without an answer': message,
  'messages with an answer': (n) =>
    n % 2 === 0
      ? message(n)
      : anEvent('BotReplyDelivered', `d${n}`, at(n), {
          commandId: `c${n}`,
          inReplyTo: `m${n - 1}`,
          requestedAt: at(n),
        }),
  'messages to an agent': (n) => (n === 0 ? anEvent('AgentJoined', 'j', at(0)) : message(n)),
  'replies that fail': (n) => anEvent('BotReplyFailed', `f${n}`, at(n), { commandId: `c${n}` }),
  invitations: (n) => anEvent('AgentInvited', `i${n}`, at(n)),
  updates: (n) => anEvent('ChatUpdated', `u${n}`, at(n), { visitor }),
  agents: (n) =>
    anEvent('ChatAssigned', `a${n}`, at(n), { visitor, agent: { id: `a${n}` }, assignedAgent: { id: `a${n}` } }),
  'states of a call': (n) =>
    anEvent('CallStatusChanged', `s${n}`, at(n), {
      visitor,
      call: { type: 'incoming', phone: '+1', status: n % 2 === 0 ? 'start' : 'end' },
    }),
}

const listsIn = (value: unknown, path: string): ReadonlyArray<readonly [path: string, length: number]> => {
  if (typeof value !== 'object' || value === null || value instanceof Date) return []
  const own = Array.isArray(value) ? [[path, value.length] as const] : []
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, part]) => listsIn(part, Array.isArray(value) ? path : `${path}.${name}`)),
  ]
}

const bounded = suite('the documents of a chat with very many events')

for (const [name, of] of Object.entries(kinds))
  bounded(`have no list of more than 1,000 entries: ${name}`, async () => {
    const log = Array.from({ length: 2_100 }, (_, n): Entry => {
      const content = of(n)
      return { content, topic: topicOf(content).name, partition: 0, offset: n, timestamp: start + n * 1_000 }
    })
    const documents = await foldOf(log)
    const lists = Object.entries(documents).flatMap(([id, document]) => listsIn(document, id.split(' ')[0] ?? ''))
    assert.ok(lists.length > 0)
    assert.equal(
      lists.filter(([, length]) => length > 1_000),
      [],
    )
  })

bounded.run()
