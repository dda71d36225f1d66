import { deepStrictEqual as same } from 'node:assert'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { ceType, chatTopics, clients, eventTopics } from '../../../contracts/topics.ts'
import { measuredFields } from '../../../src/bridge/domain/figures.ts'
import { marksByType, split, withBlanks } from '../../../src/bridge/domain/person/personal-data.ts'
import { statsViews } from '../../../src/bridge/views/stats-days.ts'
import { anEvent, at, date } from '../../support/given-events.ts'
import { aLog, type Entry } from '../../support/logs.ts'
import { type Documents, foldOf } from '../../support/memory-views.ts'

const erasures = suite('views after an erasure')

const isMarker = ({ content }: Entry) => content.type === 'ClientErased' || content.type === 'ChatErased'
const isCommand = (content: Entry['content']): content is BotReply =>
  content.type === 'BotMessage' || content.type === 'InviteAgent'

/** Events, each at the next offset of partition 0 of its topic. */
const logOf = (...given: ReadonlyArray<readonly [topic: (typeof eventTopics)[number]['name'], DomainEvent]>) => {
  const ends = new Map<string, number>()
  return given.map(([topic, content], i): Entry => {
    const offset = ends.get(topic) ?? 0
    ends.set(topic, offset + 1)
    return { content, topic, partition: 0, offset, timestamp: i }
  })
}

const secret = 'canary'
const visitor = { number: '2746', chatsCount: 3, name: secret, email: secret, phone: secret, social: { a: secret } }
const agent = { id: 'a1', name: secret, email: secret, phone: secret }
const text = { type: 'TEXT', text: secret, timestamp: at('10:00:00') }
const buttons = {
  type: 'BUTTONS',
  title: secret,
  text: secret,
  buttons: [{ text: secret, id: '1' }],
  timestamp: at('10:00:00'),
}
const page = { url: secret, title: secret }
const session = { ipAddr: secret, userAgent: secret, geoip: { city: secret }, utm: secret, utmJson: { term: secret } }
const extra = { note: secret, [`${secret}@example.com`]: 1 }
const whole = {
  visitor,
  page,
  session,
  extra,
  userToken: secret,
  analytics: { a: secret },
  tags: [{ id: '1', title: secret }],
  organization: { id: '1', name: secret },
  status: { id: '1', title: secret },
  department: { id: '1', name: secret },
}
const messages = [
  { message: secret, timestamp: at('10:00:00'), type: 'visitor' },
  { message: secret, timestamp: at('10:00:09'), type: 'agent', agentId: 'a1' },
]

/** With these events, every view has a document of the person, with the canary wherever there may be free text. */
const told = [
  ['chats', anEvent('ChatAccepted', 'e1', at('10:00:00'), { ...whole, agent })],
  ['chats', anEvent('ChatAssigned', 'e2', at('10:00:01'), { ...whole, agent, assignTo: secret })],
  [
    'chats',
    anEvent('ChatFinished', 'e3', at('10:00:10'), {
      ...whole,
      agents: [agent],
      plainMessages: secret,
      htmlMessages: secret,
      chat: { messages, blacklisted: false, rate: 'good', invitation: secret },
    }),
  ],
  [
    'calls',
    anEvent('CallStatusChanged', 'e4', at('10:01:00'), {
      ...whole,
      agent,
      call: { type: 'incoming', phone: secret, status: 'error', reason: secret, recordUrl: secret },
    }),
  ],
  ['clients', anEvent('ClientUpdated', 'e5', at('10:02:00'), whole)],
  ['offline-messages', anEvent('OfflineMessageReceived', 'e6', at('10:03:00'), { ...whole, message: secret })],
  ['bot-conversations', anEvent('ClientMessageReceived', 'e7', at('10:04:00'), { message: text, extra })],
  ['bot-conversations', anEvent('BotReplyDelivered', 'e8', at('10:04:02'), { message: buttons })],
  [
    'bot-conversations',
    anEvent('BotReplyFailed', 'e9', at('10:04:03'), {
      commandId: 'r2',
      message: text,
      reason: 'rejected',
      detail: secret,
    }),
  ],
] as const

const markers = [
  ['clients', anEvent('ClientErased', 'x0', at('11:00:00'))],
  ...chatTopics.map(
    ({ name }, i) => [name, anEvent('ChatErased', `x${i + 1}`, at('11:00:00'), { topic: name })] as const,
  ),
] as const

/** Without drift: its entries belong to no person, because they count the requests of all persons. */
const ofPersons = (documents: Documents): Documents =>
  Object.fromEntries(Object.entries(documents).filter(([key]) => !key.startsWith('drift ')))

const withSecret = (documents: Documents): Documents =>
  Object.fromEntries(Object.entries(documents).filter(([, document]) => JSON.stringify(document).includes(secret)))

const viewsOf = (documents: Documents) => new Set(Object.keys(documents).map((key) => key.split(' ')[0]))

const counted = (documents: Documents) =>
  Object.entries(documents).map(([key, document]) => {
    const fields = Object.entries(statsViews).find(([view]) => key.startsWith(`${view} `))?.[1]
    // The name of an agent is erased, so `agents` differs.
    const figures = key.startsWith('sessions ') ? measuredFields.filter((name) => name !== 'agents') : []
    const names: ReadonlyArray<string> = [...(fields ?? []), ...figures]
    return [key, names.map((name) => (document as unknown as Record<string, unknown>)[name])]
  })

erasures('contain no personal data, and every document shows that it was emptied', async () => {
  const all = await foldOf(logOf(...told))
  const before = ofPersons(all)
  assert.equal(viewsOf(withSecret(all)), viewsOf(before))
  const after = await foldOf(logOf(...told, ...markers))
  assert.equal(withSecret(after), {})
  for (const key of Object.keys(before)) assert.ok((after[key] as { erased?: true }).erased, key)
  assert.equal(viewsOf(after), viewsOf(all))
})

erasures('end every wait for an answer', async () => {
  const waits = ['unanswered', 'awaitingReplySince', 'awaitingReplyTo', 'silentSince', 'unheard', 'awaitingSince']
  const waiting = logOf(
    ['bot-conversations', anEvent('ClientMessageReceived', 'e1', at('10:00:00'))],
    ['bot-conversations', anEvent('AgentUnavailable', 'e2', at('10:00:01'))],
    ['bot-conversations', anEvent('ClientMessageReceived', 'e3', at('10:00:02'))],
  )
  const marker = logOf(...waiting.map(({ content }) => ['bot-conversations', content as DomainEvent] as const), [
    'bot-conversations',
    anEvent('ChatErased', 'x', at('11:00:00'), { topic: 'bot-conversations' }),
  ]).slice(-1)
  const left = Object.entries(await foldOf([...waiting, ...marker])).flatMap(([key, document]) =>
    waits.flatMap((name) => {
      const value: unknown = Reflect.get(document, name)
      return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [`${key} ${name}`]
    }),
  )
  assert.equal(left, [])
})

erasures('give the same statistics', async () => {
  const [before, after] = [await foldOf(logOf(...told)), await foldOf(logOf(...told, ...markers))]
  const isOfBoth = ([key]: ReadonlyArray<unknown>) => String(key) in before
  assert.equal(counted(after).filter(isOfBoth), counted(before))
})

erasures('apply later events, even with the content of erased ones', async () => {
  const again = { ...anEvent('ClientUpdated', 'e20', at('12:00:00'), { ...whole, visitor }), contentHash: 'same' }
  const first = { ...anEvent('ClientUpdated', 'e10', at('10:02:00'), { ...whole, visitor }), contentHash: 'same' }
  const [client] = [...markers]
  const log = logOf(['clients', first as DomainEvent], client, ['clients', again as DomainEvent])
  const document = (await foldOf(log))['clients acme/1233'] as {
    visitor?: object
    erased?: true
    firstEventAt?: Date
  }
  assert.equal([document.visitor, document.erased, document.firstEventAt], [visitor, true, date('10:02:00')])
})

/** What remains of an archived record after its data key was deleted. */
const blank = (content: Entry['content']): Entry['content'] => {
  if (isCommand(content)) return content
  const marks = marksByType.get(ceType(content.type)) ?? 'readable'
  const data = withBlanks(marks, split(marks, content.data).open)
  const read = DomainEvent.decode({ ...content, data })
  if (read._tag === 'Left') throw new Error(content.type)
  return read.right
}

erasures('are the same after a rebuild from an archive without the keys, except drift', async () => {
  await fc.assert(
    fc.asyncProperty(aLog, async (log) => {
      const last = new Map(log.flatMap((it) => (isMarker(it) ? [[subjectOf(it), it.offset] as const] : [])))
      const archived = log.map((it) =>
        isMarker(it) || it.offset > (last.get(subjectOf(it)) ?? -1) ? it : { ...it, content: blank(it.content) },
      )
      // Unknown fields in requests of erased persons are not in the archive any more, so drift counts fewer.
      same(ofPersons(await foldOf(archived)), ofPersons(await foldOf(log)))
    }),
    { numRuns: 300 },
  )
})

const subjectOf = ({ content, topic, partition }: Entry) =>
  isCommand(content) ? 'command' : `${topic}/${partition}/${content.data.accountId}/${content.subject}`

erasures('cover every topic of a chat and of a client', () => {
  assert.equal(markers.map(([topic]) => topic).sort(), eventTopics.map(({ name }) => name).sort())
  assert.is(clients.name, 'clients')
})

erasures.run()
