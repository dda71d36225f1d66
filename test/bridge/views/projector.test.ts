import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Decode } from '../../../src/bridge/domain/folded.ts'
import type { OwnedPartition } from '../../../src/bridge/domain/log/consumer.ts'
import type { Failure, IncomingRecord, Slice } from '../../../src/bridge/domain/log/record.ts'
import { unmeasured } from '../../../src/bridge/domain/metrics.ts'
import type { ApplyChanges, Change } from '../../../src/bridge/views/document.ts'
import { projector } from '../../../src/bridge/views/projector.ts'
import { anEvent, at } from '../../support/given-events.ts'

const projectors = suite('the projector')

type More = {
  readonly topic?: IncomingRecord['topic']
  readonly key?: string
  /** The subject of the event, if it differs from that of the key. */
  readonly subject?: string
  readonly headers?: IncomingRecord['headers']
}

const record = (offset: number, value: string, more: More = {}): IncomingRecord => {
  const { topic = 'chats', key = 'acme/2037', subject = key.slice('acme/'.length), headers } = more
  return {
    topic,
    partition: 1,
    offset,
    timestamp: Date.parse(at('10:00:00')),
    key: Buffer.from(key),
    value: Buffer.from(value),
    headers: { subject: Buffer.from(subject), ...headers },
  }
}
const slice = (...records: ReadonlyArray<IncomingRecord>): Slice => ({ topic: 'chats', partition: 1, records })
const partition: OwnedPartition = { isCurrent: () => true, done: () => {}, pause: () => () => {} }

/** Reads `e1` as the acceptance of a chat, with that event id. The header `subject` names the chat. */
const decode: Decode = ({ value, headers: { subject, extra } }) => {
  if (!String(value).startsWith('e')) return E.left({ cause: 'invalid', detail: 'not an event' })
  const event = anEvent('ChatAccepted', String(value).trim(), at('10:00:00'))
  const data = { ...event.data, chatId: String(subject), ...(extra?.length && { extra: { [String(extra)]: 1 } }) }
  return E.right({ ...event, subject: String(subject), data } as DomainEvent)
}

/** The views whose changes are told. The projector asks all, but the tests need no more. */
const told = ['chats', 'drift', 'timeline']

/** Records what was done, in order. It refuses a change of the document `unstorable`, and every change while `away`. */
const given = (
  refused: { readonly unstorable?: string; readonly away?: boolean } = {},
  hasRoom: () => boolean = () => true,
  applying?: ApplyChanges,
  decoding: (value: Buffer) => void = () => {},
) => {
  const done: string[] = []
  const viewed: string[] = []
  const classify = (error: unknown): Failure => ({
    kind: error instanceof RangeError ? 'permanent' : 'transient',
    reason: 'MongoServerError 10334',
  })
  const applyKept = async (changes: ReadonlyArray<Change>) => {
    if (refused.away) throw new Error('away')
    if (changes.some(({ id }) => id === refused.unstorable)) throw new RangeError('too large')
    const applied = changes.flatMap(({ view, id }) => (told.includes(view) ? [`${view} ${id}`] : []))
    if (applied.length > 0 || changes.length === 0) done.push(`apply ${applied.join(', ')}`)
  }
  const deadLetter = async ({ offset }: IncomingRecord, cause: string, detail: string) => {
    done.push(`dead letter ${offset}: ${cause}, ${detail}`)
  }
  let now = 0
  const measure = {
    ...unmeasured,
    projected: (records: number, seconds: number) => done.push(`${records} in ${seconds} s`),
    viewed: (source: string, seconds: number) => viewed.push(`${source} after ${seconds} s`),
  }
  const clock = () => {
    now += 500
    return now
  }
  const applyChanges = applying ?? applyKept
  const wallMs = () => Date.parse(at('10:00:02'))
  const handle = projector({
    findErased: async () => new Set(),
    decode: (record) => {
      if (record.value !== null) decoding(record.value)
      return decode(record)
    },
    applyChanges,
    classify,
    deadLetter,
    measure,
    hasRoom,
    clock,
    wallMs,
  })
  return { done, viewed, handle }
}

projectors('applies a slice at once, and then stores unreadable records as dead letters', async () => {
  const { done, handle } = given()
  await handle(slice(record(5, 'nonsense'), record(6, 'e1'), record(7, 'e2')), partition)
  assert.equal(done, [
    'apply chats acme/2037, timeline acme/2037/webhooks/e1, chats acme/2037, timeline acme/2037/webhooks/e2',
    'dead letter 5: invalid, not an event',
    '3 in 0.5 s',
  ])
})

projectors('measures the time from arrival to the views, but not during an outage of the views', async () => {
  const { viewed, handle } = given()
  await handle(slice(record(5, 'nonsense'), record(6, 'e1')), partition)
  const away = given({ away: true })
  await away.handle(slice(record(6, 'e1')), partition).catch(() => undefined)
  assert.equal([viewed, away.viewed], [['webhooks after 2 s'], []])
})

projectors('leaves unreadable commands to egress', async () => {
  const { done, handle } = given()
  await handle(slice(record(5, 'nonsense', { topic: 'bot-replies' })), partition)
  assert.equal(done, ['apply ', '1 in 0.5 s'])
})

projectors('stores all changes except the one that cannot be stored', async () => {
  const { done, handle } = given({ unstorable: 'acme/2037/webhooks/e2' })
  await handle(slice(record(5, 'e1'), record(6, 'e2'), record(7, 'e3')), partition)
  assert.equal(done, [
    'apply chats acme/2037',
    'apply timeline acme/2037/webhooks/e1',
    'apply chats acme/2037',
    'apply chats acme/2037',
    'apply timeline acme/2037/webhooks/e3',
    'dead letter 6: unstorable, timeline: MongoServerError 10334',
    '3 in 0.5 s',
  ])
})

projectors('a large slice is split into pieces that keep the records of a key together and in order', async () => {
  const { done, handle } = given()
  const chats = ['1', '2', '3']
  const events = Array.from({ length: 1_200 }, (_, i) => {
    const chat = chats[i % 3] ?? ''
    return record(i, `e${i}`, { key: `acme/${chat}` })
  })
  await handle(slice(...events), partition)

  const entries = done.map((text) =>
    (text.match(/timeline acme\/\d+\/webhooks\/e\d+/g) ?? []).map((name) => Number(name.split('/e')[1])),
  )
  const expected = chats.flatMap((_, chat) => Array.from({ length: 400 }, (_, i) => 3 * i + chat))
  assert.equal(entries.slice(0, 3), [expected.slice(0, 500), expected.slice(500, 1_000), expected.slice(1_000)])
})

projectors('data unknown to the contracts is counted at the end of a slice, in the order of the log', async () => {
  const { done, handle } = given()
  const extras = new Map([
    [0, 'mood'],
    [500, 'tone'],
    [1_000, 'tempo'],
  ])
  const events = Array.from({ length: 1_200 }, (_, i) =>
    record(i, `e${i}`, { key: `acme/${i % 3}`, headers: { extra: Buffer.from(extras.get(i) ?? '') } }),
  )
  await handle(slice(...events), partition)

  const places = ['mood', 'tone', 'tempo'].map((name) => `drift acme/unknown-field/webhooks/chat_accepted/${name}`)
  assert.is(done.at(-2), `apply ${places.join(', ')}`)
})

projectors('an event with the key of another chat is a dead letter, since its order is unknown', async () => {
  const { done, handle } = given()
  await handle(slice(record(5, 'e1', { subject: '2038' })), partition)
  assert.equal(done, [
    'apply ',
    'dead letter 5: wrong-key, key: expected <accountId>/<subject> of the event',
    '1 in 0.5 s',
  ])
})

projectors('processes one piece after the other if memory is short', async () => {
  let underWay = 0
  let most = 0
  const applyChanges = async () => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay--
  }
  const { handle } = given({}, () => false, applyChanges)
  const events = Array.from({ length: 1_200 }, (_, i) => record(i, `e${i}`))
  const slices = [slice(...events), slice(...events), slice(...events)]
  await Promise.all(slices.map((each) => handle(each, partition)))
  assert.is(most, 1)
})

projectors('however many slices come at once, the records that are decoded at a time have at most 2.1 MB', async () => {
  const bytes = 100_000
  let decoded = 0
  let most = 0
  const applyChanges = async (changes: ReadonlyArray<Change>) => {
    await new Promise((resolve) => setImmediate(resolve))
    decoded -= changes.filter(({ view }) => view === 'timeline').length * bytes
  }
  const { handle } = given(
    {},
    () => true,
    applyChanges,
    () => {
      decoded += bytes
      most = Math.max(most, decoded)
    },
  )
  const events = Array.from({ length: 40 }, (_, i) => record(i, `e${i}`.padEnd(bytes)))
  await Promise.all(Array.from({ length: 12 }, () => handle(slice(...events), partition)))
  assert.ok(most > 1_000_000 && most <= 2_100_000, `${most}`)
})

projectors('stores all changes of a large slice except those that cannot be stored', async () => {
  const { done, handle } = given({ unstorable: 'acme/2037/webhooks/e700' })
  const events = Array.from({ length: 1_200 }, (_, i) => record(i, `e${i}`))
  await handle(slice(...events), partition)

  const entries = done.flatMap((text) => text.match(/timeline acme\/\d+\/webhooks\/e\d+(?=,|$)/g) ?? [])
  assert.equal(
    [new Set(entries).size, done.at(-2)],
    [1_199, 'dead letter 700: unstorable, timeline: MongoServerError 10334'],
  )
  assert.ok(done.length < 100)
})

projectors('throws in an outage and writes no dead letter', async () => {
  const { done, handle } = given({ away: true })
  const outcome = await handle(slice(record(5, 'nonsense'), record(6, 'e1')), partition).then(
    () => 'resolved',
    (error: Error) => error.message,
  )
  assert.equal([outcome, done], ['away', []])
})

projectors.run()
