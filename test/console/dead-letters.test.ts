import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../contracts/primitives.ts'
import { describe } from '../../contracts/problem.ts'
import { problemText } from '../../src/bridge/domain/decode-request.ts'
import type { IncomingRecord } from '../../src/bridge/domain/log/record.ts'
import { toDeadLetter } from '../../src/bridge/kafka/dead-letters.ts'
import type { Redrives } from '../../src/bridge/mongo/redrives.ts'
import { optionsOf } from '../../src/bridge/operations/audit.ts'
import type { Grant } from '../../src/console/page.ts'
import { LetterAnswer, LettersAnswer, type LettersNeeds } from '../../src/console/pages/dead-letters/letters.ts'
import { deadLetters as deadLettersPage } from '../../src/console/pages/dead-letters/page.ts'
import { quarantine } from '../../src/console/pages/quarantine/page.ts'
import { asRead, topicOf } from '../bridge/operations/redrive/given-letters.ts'
import { right } from '../support/either.ts'
import { eventually } from '../support/eventually.ts'
import { auditTopic, given, isUnrecorded } from './given-request.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 0, 31, hour)).toISOString() as Instant
const letterAt = (offset: number, key: string, cause = 'contract', failedOffset = offset): IncomingRecord => {
  const value = Buffer.from('{"name":"Jane Doe"}')
  const record = {
    topic: 'chats',
    partition: 0,
    offset: failedOffset,
    timestamp: 0,
    key: Buffer.from(key),
    value,
    headers: {},
  } as const
  const why = {
    consumer: 'projector',
    cause,
    detail: 'Jane: expected text; value: expected JSON',
    failedAt: at(offset),
  }
  return { ...asRead(toDeadLetter(record, why)), partition: 0, offset }
}
const quarantined = (offset: number, key: string, problems = 'id: expected text'): IncomingRecord => {
  const headers = {
    id: `q${offset}`,
    interface: 'bot',
    received_at: at(offset),
    reason: 'invalid',
    problems,
  }
  return {
    topic: 'quarantine',
    partition: 0,
    offset,
    timestamp: 0,
    key: Buffer.from(key),
    value: Buffer.from([0xff]),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)])),
  }
}
const handlersOf = (backend: LettersNeeds) => ({
  ...deadLettersPage.handlers(backend as Parameters<typeof deadLettersPage.handlers>[0]),
  ...quarantine.handlers(backend),
})
const handlers = (
  records: ReadonlyArray<IncomingRecord>,
  find: Redrives['find'] = async () => new Map(),
  erasedAt: Redrives['erasedAt'] = async () => new Map(),
) => {
  const audit = auditTopic()
  const ports = {
    kafka: { readTopic: topicOf(records) },
    redrives: { find, erasedAt },
    recordActionOf: audit.recordActionOf,
    accounts: [{ id: 'acme' }, { id: 'other' }],
  }
  return { ...handlersOf(ports), audit: audit.state }
}
const deadLetters = [letterAt(0, 'acme/1'), letterAt(1, 'other/1'), letterAt(2, 'acme/2', 'unstorable')]
const list = 'GET /api/accounts/:account/dead-letters'
const show = 'POST /api/accounts/:account/dead-letters/show'

const letters = suite('dead letters and quarantine in the console')

letters('the list has the letters of the account, the newest first, without their content', async () => {
  const { body } = right(await handlers(deadLetters)[list](given()))

  assert.equal(E.isRight(LettersAnswer.decode(body)), true)
  const letter = {
    topic: 'chats',
    bytes: 19,
    consumer: 'projector',
    appendedAt: '1970-01-01T00:00:00.000Z',
    state: 'unresolved',
    redriven: [],
    failures: 1,
    earlier: [],
  }
  assert.equal(body, {
    count: 2,
    cut: false,
    states: { unresolved: 2, sent: 0, 'failed-again': 0 },
    causes: ['contract', 'unstorable'],
    topics: ['chats'],
    groups: [
      {
        topic: 'chats',
        cause: 'contract',
        count: 1,
        unresolved: 1,
        reasons: [{ reason: 'a field that the contract does not know; expected JSON', count: 1, unresolved: 1 }],
        firstAt: at(0),
        lastAt: at(0),
      },
      {
        topic: 'chats',
        cause: 'unstorable',
        count: 1,
        unresolved: 1,
        reasons: [],
        firstAt: at(2),
        lastAt: at(2),
      },
    ],
    letters: [
      { id: '0/2', cause: 'unstorable', at: at(2), chatId: '2', ...letter },
      {
        id: '0/0',
        cause: 'contract',
        at: at(0),
        chatId: '1',
        reason: 'a field that the contract does not know; expected JSON',
        ...letter,
      },
    ],
  })
  assert.not.match(JSON.stringify(body), /Jane/)
})

letters(
  'letters are counted by reason, the most frequent first, and a filter selects those of one reason',
  async () => {
    const ofDetail = (offset: number, detail: string): IncomingRecord => {
      const letter = letterAt(offset, `acme/${offset}`)
      return { ...letter, headers: { ...letter.headers, dl_detail: Buffer.from(detail) } }
    }
    const details = ['message.text: expected text', 'message.buttons: expected 1 to 3 buttons']
    const all = [details[0], details[1], details[1]].map((detail, i) => ofDetail(i, detail ?? ''))
    const asked = async (query: string) => right(await handlers(all)[list](given({ query }))).body
    const body = await asked('')
    assert.equal(
      body.groups.map(({ reasons }) => reasons),
      [
        [
          { reason: 'message.buttons: expected 1 to 3 buttons', count: 2, unresolved: 2 },
          { reason: 'message.text: expected text', count: 1, unresolved: 1 },
        ],
      ],
    )
    const chosen = await asked(`reason=${encodeURIComponent('message.text: expected text')}`)
    assert.equal([chosen.count, chosen.letters.map(({ id }) => id)], [1, ['0/0']])
    assert.equal(
      chosen.groups.map(({ count, reasons }) => [count, reasons]),
      [[1, [{ reason: 'message.text: expected text', count: 1, unresolved: 1 }]]],
    )
    assert.equal(chosen.states, { unresolved: 1, sent: 0, 'failed-again': 0 })
  },
)

letters('a bug of the bridge is listed with the place where it happened', async () => {
  const detail = 'TypeError at src/bridge/egress/egress.ts:85:12'
  for (const [told, reason] of [
    [detail, detail],
    ['Jane: no', undefined],
  ] as const) {
    const letter = letterAt(0, 'acme/1', 'unforeseen')
    const headers = { ...letter.headers, dl_detail: Buffer.from(told) }
    const { body } = right(await handlers([{ ...letter, headers }])[list](given()))
    assert.equal(
      body.letters.map((it) => it.reason),
      [reason],
    )
  }
})

letters('filters select letters, and a wrong filter is refused by its name', async () => {
  const asked = async (query: string) => {
    const answered = await handlers(deadLetters)[list](given({ query }))
    return E.isLeft(answered) ? [answered.left.status, answered.left.message] : answered.right.body.count
  }
  assert.equal(
    [
      await asked('cause=contract'),
      await asked('topic=calls'),
      await asked(`since=${at(1)}`),
      await asked(`until=${at(0)}`),
    ],
    [1, 0, 1, 0],
  )
  assert.equal(await asked('since=yesterday'), [400, 'since: expected an RFC 3339 time in UTC'])
  assert.match(String(await asked('causes=x')), '400,causes: ')
})

letters('a quarantined request is listed with its reason; its only topic is quarantine', async () => {
  const route = 'GET /api/accounts/:account/quarantine'
  const all = [quarantined(0, 'acme'), quarantined(1, 'other')]
  const { body } = right(await handlers(all)[route](given({ query: 'topic=quarantine' })))
  const told = {
    topic: 'quarantine',
    cause: 'invalid',
    at: at(0),
    bytes: 1,
    interface: 'bot',
    reason: 'id: expected text',
    state: 'unresolved',
    redriven: [],
    failures: 1,
    earlier: [],
  }
  assert.equal(body.letters, [{ id: '0/0', ...told }])
  const wrong = await handlers(all)[route](given({ query: 'topic=chats' }))
  assert.is(E.isLeft(wrong) && wrong.left.status, 400)
})

letters('letters of no account in the accounts file are listed, only for an operator of every account', async () => {
  const all = [letterAt(0, 'acme/1'), letterAt(1, 'gone/1'), letterAt(2, 'not a key')]
  const asked = async (accounts: Grant['accounts']) => {
    const grants: ReadonlyArray<Grant> = [{ role: 'operator', accounts }]
    const answered = await handlers(all)[list](
      given({ query: 'unowned=true', session: { ...given().session, grants } }),
    )
    return E.isLeft(answered) ? answered.left.status : answered.right.body.letters.map(({ id }) => id)
  }
  assert.equal(
    [await asked('*'), await asked(new Set(['acme', 'other'])), await asked(new Set(['acme']))],
    [['0/2', '0/1'], ['0/2', '0/1'], 403],
  )
})

letters('a filter by state selects letters that were sent, and counts each state', async () => {
  const sent: Redrives['find'] = async (ids) =>
    new Map(ids.filter((id) => id.startsWith('chats/0/2@')).map((id) => [id, [at(9)]]))
  const asked = async (state: string) => {
    const found = handlers(deadLetters, sent)
    return right(await found[list](given({ query: `state=${state}` }))).body
  }
  const [unresolved, done] = [await asked('unresolved'), await asked('sent')]
  assert.equal(
    [unresolved.letters.map(({ id }) => id), done.letters.map(({ id }) => id), done.states],
    [['0/0'], ['0/2'], { unresolved: 1, sent: 1, 'failed-again': 0 }],
  )
})

letters('every filter changes the list, its states and its groups, and not what there is to filter by', async () => {
  const sent: Redrives['find'] = async (ids) =>
    new Map(ids.filter((id) => id.startsWith('chats/0/2@')).map((id) => [id, [at(9)]]))
  const asked = async (query: string) => {
    const found = handlers(deadLetters, sent)
    return right(await found[list](given({ query }))).body
  }
  const groupsOf = ({ groups }: LettersAnswer) =>
    groups.map(({ cause, count, unresolved }) => [cause, count, unresolved])
  const [contract, unstorable] = [
    ['contract', 1, 1],
    ['unstorable', 1, 0],
  ]
  for (const [query, groups] of [
    ['', [contract, unstorable]],
    ['state=unresolved', [contract, unstorable]],
    ['state=sent', [unstorable]],
    ['state=failed-again', []],
    ['cause=unstorable', [unstorable]],
    ['topic=chats', [contract, unstorable]],
    ['topic=calls', []],
    ['chat=1', [contract]],
    ['chat=2', [unstorable]],
    ['chat=1&cause=unstorable', []],
    [`since=${at(1)}`, [unstorable]],
  ] as const)
    assert.equal(groupsOf(await asked(query)), groups, query)
  const ofCause = await asked('cause=unstorable&chat=2')
  const ofTopic = await asked('topic=calls')
  assert.equal([ofCause.count, ofCause.states], [1, { unresolved: 0, sent: 1, 'failed-again': 0 }])
  assert.equal([ofTopic.count, ofTopic.letters], [0, []])
  for (const { causes, topics } of [ofCause, ofTopic])
    assert.equal([causes, topics], [['contract', 'unstorable'], ['chats']])
})

/** Two replies of a chat that fail in the same millisecond. Both were sent; one failed again, for another cause. */
const failedAgain = () => {
  const first = [
    letterAt(0, 'acme/1'),
    { ...letterAt(0, 'acme/1', 'contract', 1), offset: 1, value: Buffer.from('{"name":"Mary Doe"}') },
  ]
  const { headers } = letterAt(2, 'acme/1', 'unstorable')
  const again = {
    dl_redriven: Buffer.from('1'),
    dl_first_failed_at: Buffer.from(at(0)),
    dl_timestamp: Buffer.from(at(1)),
  }
  const sent: Redrives['find'] = async (ids) =>
    new Map(ids.filter((id) => !id.startsWith('chats/0/2@')).map((id) => [id, [at(1)]]))
  const second = { ...letterAt(2, 'acme/1'), headers: { ...headers, ...again } }
  return handlers([...first, second], sent)
}

letters(
  'a record that failed again for another cause is counted once, there, and has its earlier failure',
  async () => {
    const asked = async (query: string) => right(await failedAgain()[list](given({ query }))).body
    const all = await asked('')
    assert.equal(
      all.letters.map(({ id, state, failures, earlier }) => ({ id, state, failures, earlier })),
      [
        {
          id: '0/2',
          state: 'failed-again',
          failures: 2,
          earlier: [{ id: '0/0', appendedAt: '1970-01-01T00:00:00.000Z' }],
        },
        { id: '0/1', state: 'sent', failures: 1, earlier: [] },
      ],
    )
    assert.equal(
      all.groups.map(({ cause, count, unresolved }) => [cause, count, unresolved]),
      [
        ['contract', 1, 0],
        ['unstorable', 1, 1],
      ],
    )
    assert.equal([all.count, all.states], [2, { unresolved: 1, sent: 1, 'failed-again': 1 }])
    const idsOf = async (query: string) => (await asked(query)).letters.map(({ id }) => id)
    assert.equal(
      [
        await idsOf('cause=contract'),
        await idsOf('cause=unstorable'),
        await idsOf('state=unresolved'),
        await idsOf('state=failed-again'),
        await idsOf('limit=1'),
      ],
      [['0/1'], ['0/2'], ['0/2'], ['0/2'], ['0/2']],
    )
  },
)

letters('a record whose failure was kept twice is one letter, and is sent when one of them is', async () => {
  const twice = [letterAt(0, 'acme/1'), letterAt(1, 'acme/1', 'contract', 0)]
  const sent: Redrives['find'] = async (ids) =>
    new Map(ids.filter((id) => id.startsWith('chats/0/0@')).map((id) => [id, [at(9)]]))
  const asked = async (find?: Redrives['find']) => right(await handlers(twice, find)[list](given())).body
  assert.equal(
    [await asked(), await asked(sent)].map(({ count, states, letters }) => [
      count,
      states.unresolved,
      states.sent,
      letters[0]?.failures,
    ]),
    [
      [1, 1, 0, 1],
      [1, 0, 1, 1],
    ],
  )
})

letters('the list fails while MongoDB is unavailable, instead of showing that nothing was sent back', async () => {
  const away = await handlers(deadLetters, () => Promise.reject(new Error('away')))[list](given())
  assert.is(E.isLeft(away) && away.left.status, 503)
})

letters('a record is shown with the complaints of its reader, each at its path, and that is recorded', async () => {
  const { audit, ...routes } = handlers(deadLetters)
  const { body } = right(await routes[show](given({ body: { id: '0/0' } })))

  assert.equal(E.isRight(LetterAnswer.decode(body)), true)
  assert.equal(body.problems, [
    { path: 'Jane', expected: 'text' },
    { path: '', expected: 'JSON' },
  ])
  assert.equal([body.record.key, body.record.value], [{ text: 'acme/1' }, { text: '{"name":"Jane Doe"}' }])
  assert.equal(audit.actions, [
    {
      who: 'kim@example.com',
      action: 'unmask',
      command: 'redrive show',
      options: optionsOf({ id: '0/0', chat: '1' }),
      accountId: 'acme',
    },
  ])
})

letters('bytes that are not text are shown in base64', async () => {
  const shown = await handlers([quarantined(0, 'acme')])['POST /api/accounts/:account/quarantine/show'](
    given({ body: { id: '0/0' } }),
  )
  assert.equal(right(shown).body.record.value, { base64: '/w==' })
})

letters('a record of another account is answered like a missing one, and nothing is recorded', async () => {
  const { audit, ...routes } = handlers(deadLetters)
  const asked = async (id: string) => {
    const answered = await routes[show](given({ body: { id } }))
    return E.isLeft(answered) && [answered.left.status, answered.left.message]
  }
  const message = (id: string) => `id: dead-letters has no record at ${id}, or has deleted it.`
  assert.equal(
    [await asked('0/1'), await asked('0/9')],
    [
      [404, message('0/1')],
      [404, message('0/9')],
    ],
  )
  assert.equal(audit.actions, [])
})

letters('no record is shown if that cannot be recorded', async () => {
  const { audit, ...routes } = handlers(deadLetters)
  audit.isAway = true
  assert.ok(isUnrecorded(await routes[show](given({ body: { id: '0/0' } }))))
})

letters('a record of an erased person is refused; a record from after the erasure is shown', async () => {
  const shownWhere = async (erasedAt: Redrives['erasedAt']) => {
    const answered = await handlers(deadLetters, undefined, erasedAt)[show](given({ body: { id: '0/2' } }))
    return E.isLeft(answered) ? [answered.left.status, answered.left.message] : 'shown'
  }
  const [before, after] = [new Date(-1), new Date(at(3))]
  assert.equal(
    [
      await shownWhere(async () => new Map([['chat acme/2', after]])),
      await shownWhere(async () => new Map([['chat acme/2', before]])),
      await shownWhere(async () => new Map([['chat acme/1', after]])),
      await shownWhere(() => Promise.reject(new Error('away'))),
    ],
    [
      [404, 'id: the person of this record was erased'],
      'shown',
      'shown',
      [503, 'MongoDB does not answer, so it is not known whether the person was erased'],
    ],
  )
})

letters('a request whose event or key is not known says so, without what was sent', async () => {
  const twice = describe([{ path: 'Jane Doe, +41 79 123; x', expected: 'one value, not several' }])
  const requests = [quarantined(0, 'acme', problemText({ kind: 'unknown-event' })), quarantined(1, 'acme', twice)]
  const { body } = right(await handlers(requests)['GET /api/accounts/:account/quarantine'](given()))
  assert.equal(
    body.letters.map(({ reason }) => reason),
    ['a field that the contract does not know', 'expected an event that this version of the bridge knows'],
  )
})

letters('at most two requests read topics at the same time', async () => {
  const gate = Promise.withResolvers<void>()
  const state = { now: 0, most: 0 }
  const readTopic = async () => {
    state.most = Math.max(state.most, ++state.now)
    await gate.promise
    state.now--
    return E.right(undefined)
  }
  const { recordActionOf } = auditTopic()
  const redrives = { find: async () => new Map(), erasedAt: async () => new Map() }
  const asked = handlersOf({ kafka: { readTopic }, redrives, recordActionOf, accounts: [] })
  const answers = [1, 2, 3, 4].map(() => asked[list](given()))
  await eventually('two reads', () => state.now >= 2)
  gate.resolve()
  for (const answer of await Promise.all(answers)) right(answer)
  assert.is(state.most, 2)
})

letters.run()
