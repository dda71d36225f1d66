import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../../contracts/primitives.ts'
import type { Failure, IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import type { State } from '../../../../src/bridge/mongo/redrives.ts'
import { noResults } from '../../../../src/bridge/operations/redrive/batches.ts'
import { type LetterEvent, sendDeadLetters } from '../../../../src/bridge/operations/redrive/send.ts'
import { letterOf, memoryRedrives, topicOf } from './given-letters.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const letterAt = (offset: number): IncomingRecord => ({
  ...letterOf(
    {
      topic: 'chats',
      partition: 0,
      offset: 100 + offset,
      timestamp: 0,
      key: Buffer.from('acme/1'),
      value: Buffer.from(String(offset)),
      headers: {},
    },
    noon,
  ),
  partition: 0,
  offset,
})
const given = (count: number) => Array.from({ length: count }, (_, offset) => letterAt(offset))

const all: Parameters<typeof sendDeadLetters>[1] = {
  filters: {},
  limit: 1000,
  dryRun: false,
  rules: { force: false, again: false, overwrite: false },
}

const batch = (): IncomingRecord => {
  const deadLetter = letterAt(0)
  return { ...deadLetter, headers: { ...deadLetter.headers, dl_cause: Buffer.from('unreadable-batch') } }
}

/** Kafka and MongoDB in memory. `trouble` decides by the number of each call whether it fails. */
const servers = (
  deadLetters: ReadonlyArray<IncomingRecord>,
  sliceSize: number,
  atOnce: number,
  states: ReadonlyMap<string, State> = new Map(),
) => {
  const sent: string[] = []
  const events: LetterEvent[] = []
  const { memory, erased, redrives } = memoryRedrives()
  let calls = 0
  let trouble: (call: number) => Failure['kind'] | undefined = () => undefined
  const troubled = () => trouble(calls++)
  const away = () => Promise.reject(new Error('away'))
  return {
    sent,
    events,
    memory,
    erased,
    meet: (next: typeof trouble) => {
      calls = 0
      trouble = next
    },
    ports: {
      readTopic: topicOf(deadLetters, sliceSize),
      redrive: async ({ value }: IncomingRecord) => {
        const kind = troubled()
        if (kind !== undefined) return E.left({ kind, reason: kind })
        sent.push(String(value))
        return E.right(undefined)
      },
      redrives: {
        ...redrives,
        find: (ids: ReadonlyArray<string>) => (troubled() ? away() : redrives.find(ids)),
        remember: (ids: ReadonlyArray<string>, at: Instant) => (troubled() ? away() : redrives.remember(ids, at)),
        states: async (view: string, ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, State>> =>
          new Map(ids.flatMap((id) => (states.has(`${view} ${id}`) ? [[id, states.get(`${view} ${id}`) ?? {}]] : []))),
      },
      pace: { atOnce, next: async () => {} },
      now: () => noon,
      say: (event: LetterEvent) => void events.push(event),
    },
  }
}
const never = new AbortController().signal

const sending = suite('sending dead letters')

sending('the letters of a slice are sent in their order, up to the limit, and a second run continues', async () => {
  const { ports, sent } = servers(given(5), 2, 2)

  const first = await sendDeadLetters(ports, { ...all, limit: 3 }, never)
  const second = await sendDeadLetters(ports, all, never)
  const third = await sendDeadLetters(ports, all, never)

  assert.equal(
    [first, second, third],
    [
      { tally: { ...noResults, done: 3 }, limit: 3 },
      { tally: { ...noResults, before: 3, done: 2 } },
      { tally: { ...noResults, before: 5 } },
    ],
  )
  assert.equal(sent, ['0', '1', '2', '3', '4'])
})

sending(
  'a letter of a chat that was erased later is refused with all options; a letter from after the erasure is sent',
  async () => {
    const { ports, sent, events, erased } = servers(given(1), 2, 2)
    const rules = { force: true, again: true, overwrite: true }

    erased.set('chat acme/1', new Date(1))
    const refused = await sendDeadLetters(ports, { ...all, filters: { id: ['0/0', '0/1', '0/2'] }, rules }, never)
    erased.set('chat acme/1', new Date(-1))
    const later = await sendDeadLetters(ports, { ...all, filters: { id: ['0/0', '0/1', '0/2'] }, rules }, never)

    assert.equal(
      [refused.tally, later.tally],
      [
        { ...noResults, kept: 1 },
        { ...noResults, done: 1 },
      ],
    )
    assert.equal(events[0]?.why, { kind: 'erased' })
    assert.equal(sent, ['0'])
  },
)

sending('a dry run shows what would be sent, up to the limit, and changes nothing', async () => {
  const { ports, sent, memory, events } = servers(given(5), 5, 2)

  const dry = await sendDeadLetters(ports, { ...all, limit: 3, dryRun: true }, never)

  assert.equal(dry.tally, { ...noResults, planned: 3 })
  assert.equal([sent, memory.size], [[], 0])
  assert.equal(
    events,
    [0, 1, 2].map((n) => ({
      kind: 'planned',
      letter: { id: `0/${n}`, origin: `chats/0/${100 + n}`, consumer: 'projector', cause: 'contract' },
    })),
  )
})

sending('a dry run is possible while another redrive runs', async () => {
  const { ports } = servers(given(2), 2, 2)
  const redrives = { ...ports.redrives, lease: async () => undefined }
  const { tally } = await sendDeadLetters({ ...ports, redrives }, { ...all, dryRun: true }, never)
  assert.equal(tally, { ...noResults, planned: 2 })
})

for (const [ids, limit, expected] of [
  [['0/0'], 1, { tally: { ...noResults, done: 1 } }],
  [['0/0', '0/1', '0/2'], 2, { tally: { ...noResults, done: 2 }, limit: 2 }],
] satisfies ReadonlyArray<readonly [ReadonlyArray<string>, number, object]>)
  sending(`of ${ids.length} letters that are selected by their ids, with the limit ${limit}`, async () => {
    const { ports } = servers(given(3), 3, 2)
    assert.equal(await sendDeadLetters(ports, { ...all, filters: { id: ids }, limit }, never), expected)
  })

sending('nothing is decided about a letter after the limit', async () => {
  const { ports } = servers(given(2), 2, 1)
  await sendDeadLetters(ports, { ...all, filters: { id: ['0/1'] } }, never)
  assert.equal(await sendDeadLetters(ports, { ...all, limit: 1 }, never), {
    tally: { ...noResults, done: 1 },
    limit: 1,
  })
})

sending('each batch waits until as many may be sent, and an interruption then ends the run', async () => {
  const { ports, sent } = servers(given(7), 7, 2)
  const interruption = new AbortController()
  const counts: number[] = []
  const next = async (count: number) => {
    counts.push(count)
    if (counts.length === 3) interruption.abort()
  }
  const paced = { ...ports, pace: { atOnce: 2, next } }
  const { trouble } = await sendDeadLetters(paced, all, interruption.signal)
  assert.equal([sent, trouble], [['0', '1', '2', '3'], { kind: 'interrupted' }])
  await sendDeadLetters(paced, all, never)
  assert.equal(counts, [2, 2, 2, 2, 1])
})

sending('a run that cannot read the letters says why', async () => {
  const { ports } = servers([], 1, 1)
  const readTopic = async () => E.left({ kind: 'transient', reason: 'away' } as const)
  assert.equal(await sendDeadLetters({ ...ports, readTopic }, all, never), {
    tally: noResults,
    trouble: { kind: 'kafka', reason: 'away' },
  })
})

for (const [unknown, redrives] of [
  ['running', { lease: () => Promise.reject(new Error('away')) }],
  ['sent-before', { find: () => Promise.reject(new Error('away')) }],
] as const)
  sending(`nothing is sent while MongoDB is away, and the result says what is not known: ${unknown}`, async () => {
    const { ports, sent } = servers(given(1), 1, 1)
    const away = { ...ports, redrives: { ...ports.redrives, ...redrives } }
    const { trouble } = await sendDeadLetters(away, all, never)
    assert.equal([sent, trouble], [[], { kind: 'mongodb', unknown }])
  })

for (const [what, sliceSize, atOnce] of [
  ['one batch', 3, 3],
  ['two batches of a slice', 3, 1],
  ['two slices', 1, 1],
] as const)
  sending(`a failure that was kept twice is sent once, also in ${what} and with --again`, async () => {
    const letters = [letterAt(0), { ...letterAt(0), offset: 1 }, letterAt(2)]
    const { ports, sent } = servers(letters, sliceSize, atOnce)
    const again = { ...all, rules: { ...all.rules, again: true } }

    const dry = await sendDeadLetters(ports, { ...all, dryRun: true }, never)
    const first = await sendDeadLetters(ports, all, never)
    const second = await sendDeadLetters(ports, all, never)
    const third = await sendDeadLetters(ports, again, never)

    assert.equal(
      [dry, first, second, third].map(({ tally }) => tally),
      [
        { ...noResults, before: 1, planned: 2 },
        { ...noResults, before: 1, done: 2 },
        { ...noResults, before: 3 },
        { ...noResults, before: 1, done: 2 },
      ],
    )
    assert.equal(sent, ['0', '2', '0', '2'])
  })

sending('of a failure that was kept twice, either copy resolves the other', async () => {
  const { ports, sent } = servers([letterAt(0), { ...letterAt(0), offset: 1 }], 2, 2)
  await sendDeadLetters(ports, { ...all, filters: { id: ['0/1'] } }, never)
  const { tally } = await sendDeadLetters(ports, all, never)
  assert.equal([sent, tally], [['0'], { ...noResults, before: 2 }])
})

sending('only letters of the requested account are sent', async () => {
  const other = { ...letterAt(0), key: Buffer.from('other/1') }
  const { ports, sent } = servers([other, letterAt(1)], 5, 2)
  const { tally } = await sendDeadLetters(ports, { ...all, filters: { account: 'acme' } }, never)
  assert.equal([sent, tally], [['1'], { ...noResults, done: 1 }])
})

sending('a letter that Kafka never accepts is reported, and the others continue', async () => {
  const { ports, sent, events, meet } = servers(given(3), 3, 3)
  meet((call) => (call === 2 ? 'permanent' : undefined))

  const { tally, trouble } = await sendDeadLetters(ports, all, never)

  assert.equal([tally, trouble], [{ ...noResults, done: 2, failed: 1 }, undefined])
  assert.equal(sent, ['0', '2'])
  assert.equal([events[1]?.kind, events[1]?.why], ['failed', { kind: 'kafka', reason: 'permanent' }])
})

sending('an interrupted run ends after the current batch, which is stored as sent', async () => {
  const { ports, sent, memory } = servers(given(6), 6, 2)
  const interruption = new AbortController()
  const redrive = (record: IncomingRecord) => {
    interruption.abort()
    return ports.redrive(record)
  }

  await sendDeadLetters({ ...ports, redrive }, all, interruption.signal)

  assert.equal([sent, memory.size], [['0', '1'], 2])
})

sending(
  'after any outage of a server, later runs send every dead letter, in order, and only the last batch again',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          count: fc.nat(12),
          sliceSize: fc.integer({ min: 1, max: 6 }),
          atOnce: fc.integer({ min: 1, max: 3 }),
        }),
        fc.array(fc.nat(12), { maxLength: 4 }),
        async ({ count, sliceSize, atOnce }, troubles) => {
          const { ports, sent, meet } = servers(given(count), sliceSize, atOnce)
          for (const at of troubles) {
            meet((call) => (call >= at ? 'transient' : undefined))
            await sendDeadLetters(ports, all, never)
          }
          meet(() => undefined)
          const last = await sendDeadLetters(ports, all, never)

          const firsts = [...new Set(sent)]
          assert.equal(
            firsts,
            given(count).map(({ value }) => String(value)),
          )
          assert.ok(sent.length <= count + troubles.length * atOnce)
          assert.is(last.trouble, undefined)
        },
      ),
    )
  },
)

sending('a dead letter of an unreadable batch is not sent, since it is not a record', async () => {
  const { ports, sent, events } = servers([batch(), letterAt(1)], 10, 10)
  const { tally } = await sendDeadLetters(ports, all, new AbortController().signal)
  assert.equal([sent, tally], [['1'], { ...noResults, done: 1, failed: 1 }])
  assert.equal(
    [events[0]?.kind, events[0]?.letter.cause, events[0]?.why],
    ['failed', 'unreadable-batch', { kind: 'batch' }],
  )
})

sending('more letters that cannot be sent than the limit allows end the run too', async () => {
  const { ports } = servers([batch(), batch(), letterAt(2), letterAt(3)], 3, 3)
  assert.equal(await sendDeadLetters(ports, { ...all, limit: 1 }, never), {
    tally: { ...noResults, failed: 2 },
    limit: 1,
  })
})

const about = (topic: 'clients' | 'enrichments', offset: number, headers: Readonly<Record<string, Buffer>> = {}) => ({
  ...letterOf(
    {
      topic,
      partition: 0,
      offset: 100 + offset,
      timestamp: 0,
      key: Buffer.from('acme/1'),
      value: Buffer.from(`${topic} ${offset}`),
      headers,
    },
    noon,
  ),
  partition: 0,
  offset,
})

sending('a state that is older than its view is refused, unless overwriting is requested', async () => {
  const deadLetters = [
    about('clients', 0, { ce_time: Buffer.from('2026-01-31T11:00:00.000Z') }),
    about('clients', 1, { ce_time: Buffer.from('2026-01-31T12:00:00.001Z') }),
    about('enrichments', 2),
    about('enrichments', 3),
    about('enrichments', 4, { dl_redriven: Buffer.from('1') }),
  ]
  const states = new Map<string, State>([
    ['clients acme/1', { lastEventAt: new Date(noon), applied: {} }],
    ['enrichments acme/1', { applied: { 'enrichments/0': 103 } }],
  ])
  const { ports, sent, events } = servers(deadLetters, 10, 1, states)

  const { tally } = await sendDeadLetters(ports, all, never)
  assert.equal([sent, tally], [['clients 1', 'enrichments 3'], { ...noResults, done: 2, kept: 3 }])
  assert.equal(
    [events[0]?.kind, events[0]?.letter.origin, events[0]?.why],
    ['kept', 'clients/0/100', { kind: 'outdated' }],
  )

  await sendDeadLetters(ports, { ...all, rules: { ...all.rules, overwrite: true } }, never)
  assert.equal(sent.slice(2), ['clients 0', 'enrichments 2', 'enrichments 4'])
})

sending('a person who is erased after the slice was read is not sent', async () => {
  const { ports, sent, erased } = servers(given(3), 3, 1)
  let batches = 0
  const redrive = async (record: IncomingRecord) => {
    if (++batches === 1) for (const { key } of given(3)) erased.set(`chat ${key}`, new Date('2030-01-01T00:00:00Z'))
    return ports.redrive(record)
  }
  const ended = await sendDeadLetters({ ...ports, redrive }, all, never)
  assert.equal([sent.length, ended.tally.kept], [1, 2])
})

sending('a second redrive at the same time sends nothing and says so', async () => {
  const { ports, sent } = servers(given(3), 3, 3)
  const redrives = { ...ports.redrives, lease: async () => undefined }
  const { tally, trouble } = await sendDeadLetters({ ...ports, redrives }, all, never)
  assert.equal([sent, tally], [[], noResults])
  assert.equal(trouble, { kind: 'busy' })
})

sending('a redrive that has lost its lease stops before its next batch', async () => {
  const { ports, sent } = servers(given(3), 3, 1)
  let left = 2
  const lease = async () => ({ renew: async () => left-- > 1, release: async () => {} })
  const { trouble } = await sendDeadLetters({ ...ports, redrives: { ...ports.redrives, lease } }, all, never)
  assert.is(sent.length, 1)
  assert.equal(trouble, { kind: 'overtaken' })
})

sending.run()
