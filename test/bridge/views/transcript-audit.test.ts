import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import type { TimelineDocument } from '../../../contracts/views/timeline.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { commonSequence } from '../../../src/bridge/views/common-sequence.ts'
import { type Entry, transcriptAudit } from '../../../src/bridge/views/transcript-audit.ts'
import type { Line } from '../../../src/tools/simulator/chat.ts'
import { randomNumbers } from '../../../src/tools/simulator/random.ts'
import { chatLog, type Tamper } from '../../../src/tools/simulator/transcript.ts'
import { anEvent, at, inLog } from '../../support/given-events.ts'
import { memoryViews } from '../../support/memory-views.ts'
import { altering, losing, reordering } from '../../support/tampering.ts'

const audits = suite('audit of a transcript')

const start = Date.parse(at('10:00:00'))
const finishAfterMs = 60_000

/** A message. The bridge does not receive `unheard` ones. `shown` is the text in the chat's log, if different. */
type Said = Pick<Line, 'from' | 'text'> & {
  readonly unheard?: boolean
  readonly type?: 'MARKDOWN'
  readonly shown?: string
}

const client = (text: string): Said => ({ from: 'client', text })
const bot = (text: string): Said => ({ from: 'bot', text })
const agent = (text: string): Said => ({ from: 'agent', text })
const unheard = (text: string): Said => ({ from: 'client', text, unheard: true })

const lineOf = ({ from, text, shown = text }: Said, i: number, from0: number): Line => ({
  from,
  text: shown,
  at: from0 + i * 100,
  ...(from === 'agent' && { agentId: 'a1' }),
})

let ids = 0
const entry = (type: string, time: number, data: Record<string, unknown>): Entry => {
  const offset = ids++
  const place = { topic: 'bot-conversations', partition: 0, offset }
  return { _id: `acme/2037/bot/${offset}`, type, time: new Date(time), ...place, data }
}

const heard = ({ from, text, type }: Said, time: number): Entry =>
  entry(from === 'client' ? 'ClientMessageReceived' : 'BotReplyDelivered', time + 5, {
    message: { type: type ?? 'TEXT', text, timestamp: new Date(time) },
    ...(from === 'bot' && { attempts: [{ at: new Date(time) }] }),
  })

/** A finished session and its chat's entries. The log has all messages, the bridge those before an agent's first. */
const given = (said: ReadonlyArray<Said>, tamper: Tamper = (lines) => lines, from = start) => {
  const firstAgent = said.findIndex((each) => each.from === 'agent')
  const entries = said.flatMap((each, i) =>
    each.unheard || each.from === 'agent' || (firstAgent >= 0 && i > firstAgent) ? [] : [heard(each, from + i * 100)],
  )
  const messages = chatLog(tamper(said.map((each, i) => lineOf(each, i, from)))).map(
    ({ agent_id, timestamp, ...rest }) => ({
      ...rest,
      timestamp: new Date(timestamp * 1000),
      ...(agent_id !== undefined && { agentId: agent_id }),
    }),
  )
  const until = from + said.length * 100 + finishAfterMs
  const session = { endsAt: new Date(until), agents: [] }
  return { session, entries: [...entries, entry('ChatFinished', until, { chat: { messages } })] }
}
const audited = (said: ReadonlyArray<Said>, tamper?: Tamper) => {
  const { session, entries } = given(said, tamper)
  return transcriptAudit(session, entries)
}
const kinds = (said: ReadonlyArray<Said>, tamper?: Tamper) =>
  audited(said, tamper).differences.map(({ kind, from, index }) => [kind, from, index])

const talk = [client('one'), bot('1'), client('two'), bot('2'), client('three'), bot('3')]

audits('finds nothing in a complete chat', () => {
  assert.equal(audited(talk), { state: 'compared', differences: [], replies: 'compared' })
})

audits('finds missing messages, missing log lines, other texts and another order, on both sides', () => {
  assert.equal(kinds([...talk.slice(0, 2), unheard('lost'), ...talk.slice(2)]), [['not-received', 'client', 2]])
  assert.equal(kinds(talk, losing('client', 1)), [['not-in-transcript', 'client', undefined]])
  assert.equal(kinds(talk, losing('bot', 2)), [['not-in-transcript', 'bot', undefined]])
  assert.equal(kinds(talk, altering('client', 1)), [['text', 'client', 2]])
  assert.equal(kinds(talk, altering('bot', 0)), [['text', 'bot', 1]])
  assert.equal(
    kinds(talk, reordering('client', 0)).map(([kind, from]) => [kind, from]),
    [['order', 'client']],
  )
  assert.equal(
    kinds(talk, reordering('bot', 1)).map(([kind, from]) => [kind, from]),
    [['order', 'bot']],
  )
})

audits('names the event and the place, and no texts', () => {
  const { session, entries } = given(talk, altering('client', 1))
  const [difference] = transcriptAudit(session, entries).differences
  assert.equal(difference, { kind: 'text', from: 'client', index: 2, event: entries[2]?._id })
  assert.not.match(JSON.stringify(difference), 'two')
})

audits('does not report messages that may have gone to an agent, but reports earlier ones', () => {
  const handedOver = [client('one'), bot('1'), agent('Hello'), client('two'), agent('Bye'), client('three')]
  assert.equal(kinds(handedOver), [])
  assert.equal(kinds([client('one'), unheard('two'), bot('1'), agent('Hello')]), [['not-received', 'client', 1]])
  assert.equal(kinds([client('one'), bot('1'), unheard('two'), agent('Hello')]), [])
  assert.equal(kinds([client('one'), bot('1'), unheard('two')]), [['not-received', 'client', 2]])
  const { session, entries } = given([client('one'), bot('1'), unheard('two')])
  const withAgents = transcriptAudit(
    { ...session, agents: [{ id: 'a1', part: 'unknown', messages: 0 } as never] },
    entries,
  )
  assert.equal(withAgents.differences, [])
})

audits('does not report messages of a client to an agent as missing in the log', () => {
  const said = [client('one'), bot('1'), client('two'), agent('Hello'), client('three')]
  assert.equal(kinds(said, losing('client', 1)), [['not-in-transcript', 'client', undefined]])
})

audits('finds a late message in its place, without a difference in order', () => {
  const said = [client('one'), bot('1'), unheard('late'), client('last')]
  const { session, entries } = given(said)
  const late = heard(client('late'), session.endsAt.getTime() + 5_000)
  assert.equal(
    transcriptAudit(session, entries).differences.map(({ kind }) => kind),
    ['not-received'],
  )
  assert.equal(transcriptAudit(session, [...entries, late]).differences, [])
})

audits('does not report a reply that was on its way when the chat was finished', () => {
  const { session, entries } = given(talk)
  const after = (ms: number) => heard(bot('late'), session.endsAt.getTime() + ms)
  assert.equal(transcriptAudit(session, [...entries, after(-1)]).differences, [])
  assert.equal(
    transcriptAudit(session, [...entries, after(-100)]).differences.map(({ kind }) => kind),
    ['not-in-transcript'],
  )
})

audits('does not compare replies if the transcript has none, nor match them with other lines', () => {
  const withoutBot: Tamper = (lines) => lines.filter(({ from }) => from !== 'bot')
  assert.equal(audited(talk, withoutBot), {
    state: 'compared',
    differences: [],
    replies: 'no-bot-messages-in-transcript',
  })
  const greeting: Tamper = (lines) => [{ from: 'bot', text: 'Welcome!', at: start }, ...lines]
  assert.equal(audited(talk, greeting).differences, [])
})

audits('does not compare texts of Markdown, since the log may show them differently', () => {
  const bold: Said = { from: 'bot', text: 'very', type: 'MARKDOWN', shown: '<b>very</b>' }
  assert.equal(kinds([...talk, bold]), [])
})

audits('says why a chat cannot be compared', () => {
  const { session, entries } = given(talk)
  const reason = (some: ReadonlyArray<Entry>) => {
    const audit = transcriptAudit(session, some)
    return [audit.state, audit.reason, audit.differences.length]
  }
  const isFinish = ({ type }: Entry) => type === 'ChatFinished'
  const finish = entries.filter(isFinish)
  assert.equal(reason(finish), ['not-compared', 'no-bot-conversation', 0])
  assert.equal(reason(entries.filter((each) => !isFinish(each))), ['not-compared', 'event-missing', 0])
  const without = ({ data: _, ...rest }: Entry): Entry => rest
  assert.equal(reason(entries.map((each, i) => (i === 0 ? { ...without(each), erased: true } : each))), [
    'not-compared',
    'erased',
    0,
  ])
  assert.equal(reason(entries.map((each, i) => (i === 0 ? without(each) : each))), [
    'not-compared',
    'event-too-large',
    0,
  ])
  assert.is(audited([]).reason, 'empty-transcript')
  assert.is(audited([client('one')], altering('client', 0)).reason, 'nothing-in-common')
  const [many, others] = ['a', 'b'].map((word) => Array.from({ length: 2_100 }, (_, i) => client(`${word}${i}`)))
  const told = chatLog((others ?? []).map((each, i) => lineOf(each, i, start)))
  const tooMany = given([client('same'), ...(many ?? [])], ([first]) => [
    ...(first ? [first] : []),
    ...told.map(({ message }): Line => ({ from: 'client', text: message, at: start })),
  ])
  assert.is(transcriptAudit(tooMany.session, tooMany.entries).reason, 'too-many-messages')
})

audits('uses the messages of each session if a chat is finished again, with a continued or a new log', () => {
  const later = start + 3_600_000
  const [first, second] = [given(talk), given([client('again'), bot('yes')], undefined, later)]
  const endsAt = second.session.endsAt
  const session = { endsAt, previousEndedAt: first.session.endsAt, agents: [] }
  const all = [...first.entries, ...second.entries]
  assert.equal(transcriptAudit(session, all), { state: 'compared', differences: [], replies: 'compared' })
  const logs = all.flatMap(({ type, data }) =>
    type === 'ChatFinished' ? [(data as { chat: { messages: ReadonlyArray<object> } }).chat.messages] : [],
  )
  const goesOn = all.map((each) =>
    each === all.at(-1) ? { ...each, data: { chat: { messages: logs.flat() } } } : each,
  ) as ReadonlyArray<Entry>
  assert.equal(transcriptAudit(session, goesOn), { state: 'compared', differences: [], replies: 'compared' })
  assert.equal(transcriptAudit(first.session, goesOn).differences, [])
  const between = heard(client('on the way'), first.session.endsAt.getTime() + 1_000)
  assert.equal(transcriptAudit(session, [...goesOn, between]).differences, [])
})

audits('is the same for any order of events, and is computed again with late events', async () => {
  const messages = [
    { message: 'Hi', timestamp: at('10:00:00'), type: 'visitor' },
    { message: 'Hello', timestamp: at('10:00:01'), type: 'agent' },
  ]
  const events = inLog<DomainEvent>(
    anEvent('ClientMessageReceived', 'e1', at('10:00:00')),
    anEvent('BotReplyDelivered', 'e2', at('10:00:01')),
    anEvent('ChatFinished', 'e3', at('10:01:00'), { chat: { messages, blacklisted: false } }),
  )
  for (const order of [
    [0, 1, 2],
    [2, 0, 1],
    [0, 2, 1, 1],
  ]) {
    const { applyChanges, documents } = memoryViews()
    for (const i of order) await applyChanges(changesOfEvent(events[i] as (typeof events)[number]))
    const all = Object.values(documents())
    const session = all.find((each) => each._id === 'acme/2037/agent/1') as SessionDocument
    assert.equal(session.audit, { state: 'due', differences: [] })
    const entries = all.filter((each) => 'offset' in each) as ReadonlyArray<TimelineDocument>
    assert.equal(transcriptAudit(session, entries), { state: 'compared', differences: [], replies: 'compared' })
    const before = transcriptAudit(
      session,
      entries.filter(({ type }) => type !== 'BotReplyDelivered'),
    )
    assert.equal(before, { state: 'compared', differences: [] })
  }
})

/** Chats with few words, so that many messages are equal. */
const word = fc.constantFrom('yes', 'no', 'ok', 'thanks', '1', '2')
const talking = fc
  .record({
    said: fc.array(fc.record({ from: fc.constantFrom('client' as const, 'bot' as const), text: word }), {
      minLength: 1,
    }),
    withAgent: fc.array(fc.record({ from: fc.constantFrom('client' as const, 'agent' as const), text: word })),
  })
  .map(
    ({ said, withAgent }): ReadonlyArray<Said> => [
      ...said,
      ...(withAgent.length > 0 ? [agent('Hello')] : []),
      ...withAgent,
    ],
  )

audits('finds nothing in any correct chat', () => {
  fc.assert(
    fc.property(talking, (said) => {
      const { state, differences } = audited(said)
      assert.equal({ state, differences }, { state: 'compared', differences: [] })
    }),
    { numRuns: 500 },
  )
})

audits('finds only the one lost, altered or moved message in any chat', () => {
  const place = fc.record({ n: fc.integer({ min: 2, max: 30 }), at: fc.nat(), from: fc.constantFrom('client', 'bot') })
  fc.assert(
    fc.property(place, ({ n, at: any, from }) => {
      const author = from as 'client' | 'bot'
      const said = Array.from({ length: n }, (_, i) => [client(`c${i}`), bot(`b${i}`)]).flat()
      const i = any % n
      assert.equal(kinds(said, altering(author, i)), [['text', author, 2 * i + (author === 'bot' ? 1 : 0)]])
      assert.equal(kinds(said, losing(author, i)), [['not-in-transcript', author, undefined]])
      assert.equal(
        kinds(said, reordering(author, any % (n - 1))).map(([kind]) => kind),
        ['order'],
      )
      const lost = said.map((each, j) => (j === 2 * i ? { ...each, unheard: true } : each))
      assert.equal(kinds(lost), [['not-received', 'client', 2 * i]])
    }),
  )
})

audits('finds nothing in a correct run of a million events', () => {
  const random = randomNumbers(7)
  const words = ['yes', 'no', 'ok', 'thanks', 'please', 'when?', 'order 1', 'order 2']
  let events = 0
  while (events < 1_000_000) {
    const length = 2 + Math.floor(random() * 200)
    const agents = random() < 0.5 ? Math.floor(random() * 10) : 0
    const said = Array.from({ length: length + agents }, (_, i): Said => {
      const text = words[Math.floor(random() * words.length)] ?? ''
      const other = i < length ? 'bot' : 'agent'
      return { from: i === length ? 'agent' : random() < 0.5 ? 'client' : other, text }
    })
    const { session, entries } = given(said)
    events += entries.length
    const { state, differences } = transcriptAudit(session, entries)
    if (state !== 'compared' || differences.length > 0)
      assert.equal({ state, differences }, { state: 'compared', differences: [] })
  }
})

audits('a common sequence is a longest one, in the order of both lists', () => {
  const longest = (a: string, b: string): number =>
    a === '' || b === ''
      ? 0
      : a[0] === b[0]
        ? 1 + longest(a.slice(1), b.slice(1))
        : Math.max(longest(a.slice(1), b), longest(a, b.slice(1)))
  const numbered = (text: string) => [...text].map((letter, i) => [i, letter] as const)
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
  fc.assert(
    fc.property(letters, letters, (a, b) => {
      const common = commonSequence(numbered(a), numbered(b), ([, x], [, y]) => x === y)
      assert.is(common?.length, longest(a, b))
      for (const side of [0, 1] as const) {
        const places = common?.map((pair) => pair[side][0]) ?? []
        assert.equal(
          places,
          places.toSorted((x, y) => x - y),
        )
        assert.is(new Set(places).size, places.length)
      }
    }),
  )
})

audits.run()
