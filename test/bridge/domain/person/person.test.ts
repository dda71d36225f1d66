import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  alsoText,
  type Certain,
  type Identity,
  looksLikeAddress,
  readAlso,
  readCertain,
} from '../../../../src/bridge/domain/person/ids.ts'
import { likelyOthers } from '../../../../src/bridge/domain/person/parts.ts'
import { enrichmentKeys, likelyParts, resolvePerson } from '../../../../src/bridge/domain/person/person.ts'
import { phoneDigits } from '../../../../src/bridge/domain/person/phone.ts'
import { exceptOf } from '../../../../src/bridge/privacy/erase/erase-operations.ts'
import { linksIn } from '../../privacy/erase/given-erasures.ts'

const person = suite('the records of one person')

const it = (text: string): Identity => {
  const [kind, value] = text.split(' ') as [Identity['kind'], string]
  return { kind, value }
}
const texts = (identities: ReadonlyArray<Identity>) => identities.map(({ kind, value }) => `${kind} ${value}`).sort()

/** Documents of two persons with the same address. The second person has two chats under one visitor number. */
const documents = [
  ['chat 1', 'visitor 7', 'email a@example.com'],
  ['chat 1', 'client 20'],
  ['client 20', 'visitor 7', 'phone +1'],
  ['chat 2', 'visitor 8', 'email a@example.com'],
  ['chat 3', 'visitor 8'],
].map((document) => document.map(it))
const find = linksIn(documents)

person('is found from any of the ids, through all documents that are linked by ids', async () => {
  for (const start of ['chat 1', 'client 20', 'visitor 7']) {
    const { chats, clients } = await resolvePerson(find, it(start), [])
    assert.equal([chats, clients], [['1'], ['20']], start)
  }
})

person('does not include persons with the same address; they are listed as likely', async () => {
  const { likely } = await resolvePerson(find, it('client 20'), [])
  assert.equal(
    likely.map(({ via, leadsTo }) => [texts(via), texts(leadsTo)]),
    [[['email a@example.com'], ['chat 2', 'visitor 8']]],
  )
})

person('lists each other person by itself, with all that both have, and includes the chosen one alone', async () => {
  const others = [...documents, ['chat 4', 'client 30', 'email a@example.com'], ['client 30', 'phone +1']].map(
    (document) => document.map((each) => (typeof each === 'string' ? it(each) : each)),
  )
  const all = linksIn(others)
  const { likely } = await resolvePerson(all, it('client 20'), [])
  assert.equal(
    likely.map(({ via, leadsTo }) => [texts(via), texts(leadsTo)]),
    [
      [['email a@example.com'], ['chat 2', 'visitor 8']],
      [
        ['email a@example.com', 'phone +1'],
        ['chat 4', 'client 30'],
      ],
    ],
  )
  const chosen = await resolvePerson(all, it('client 20'), [{ kind: 'visitor', value: '8' }])
  assert.equal([chosen.chats, chosen.clients], [['1', '2', '3'], ['20']])
  assert.equal(
    chosen.likely.map(({ leadsTo }) => texts(leadsTo)),
    [['chat 4', 'client 30']],
  )
})

person('reads who is included by a kind of address, or by one id; an id may have a colon', () => {
  for (const text of ['email', 'userToken', 'client:1240', 'chat:a:b']) {
    const read = readAlso(text)
    assert.is(read && alsoText(read), text)
  }
  for (const text of ['', 'client', 'client:', 'email:a@example.com', 'toString']) assert.is(readAlso(text), undefined)
})

const typed: ReadonlyArray<readonly [string, boolean, Identity['kind']?]> = [
  ['ann@example.com', true],
  ['+1 (555) 010-99', true],
  ['555-0109', true],
  ['442079460958', true],
  ['442079460958', true, 'visitor'],
  ['27126623310', false, 'chat'],
  ['+44 2079460958', true, 'chat'],
  ['1233', false],
  ['490204001', false],
  ['1790000000000000001', false],
  ['user-5550109', false],
  ['0b9661ab-9c00-4000-8000-000000000001', false],
]
for (const [value, isAddress, kind = 'client'] of typed)
  person(`the id of a ${kind} may ${isAddress ? '' : 'not '}be an address or a phone number: ${value}`, () =>
    assert.is(looksLikeAddress({ kind, value }), isAddress),
  )

person('counts all chats and clients of each who is likely the same person', async () => {
  const found = await resolvePerson(find, it('client 20'), [])
  assert.equal(
    (await likelyParts(find, found)).map(({ via, emails, ...part }) => ({ ...part, via: texts(via) })),
    [{ chats: ['2', '3'], clients: [], via: ['email a@example.com'] }],
  )
})

person('includes persons with the same address if that is requested', async () => {
  const { chats, clients, likely } = await resolvePerson(find, it('client 20'), ['email'])
  assert.equal([chats, clients, likely], [['1', '2', '3'], ['20'], []])
})

person('is found by an address, which is then used as a link', async () => {
  const { chats } = await resolvePerson(find, it('email a@example.com'), [])
  assert.equal(chats, ['1', '2', '3'])
})

/** Client 20 and client 30 use one computer, visitor 7. Chat 5 was there without a client; client 40 has another, too. */
const shared = [
  ['chat 1', 'client 20', 'visitor 7', 'email a@example.com'],
  ['chat 2', 'client 30', 'visitor 7', 'email b@example.com'],
  ['chat 2', 'visitor 7'],
  ['client 30', 'chat 3'],
  ['chat 5', 'visitor 7'],
  ['chat 5'],
  ['client 30', 'visitor 8'],
  ['chat 6', 'client 40', 'visitor 8'],
].map((document) => document.map(it))
const findShared = linksIn(shared)
const certain = (text: string) => readCertain(text) as Certain

person('has parts: the chats and clients of each id, with what joined them and to which part', async () => {
  const { parts } = await resolvePerson(findShared, it('client 20'), [])
  assert.equal(
    parts.map(({ via, emails, ...part }) => ({ ...part, via: texts(via) })),
    [
      { chats: ['1'], clients: ['20'], via: [] },
      { chats: ['2', '3'], clients: ['30'], via: ['visitor 7'], through: 0 },
      { chats: ['5'], clients: [], via: ['visitor 7'], through: 0 },
      { chats: ['6'], clients: ['40'], via: ['visitor 8'], through: 1 },
    ],
  )
  const byVisitor = await resolvePerson(findShared, it('visitor 7'), [])
  assert.equal(
    byVisitor.parts.map(({ clients, via, through }) => [clients, texts(via), through]),
    [
      [['20'], ['visitor 7'], undefined],
      [['30'], ['visitor 7'], undefined],
      [[], ['visitor 7'], undefined],
      [['40'], ['visitor 8'], 1],
    ],
  )
})

const doubtful: ReadonlyArray<readonly [start: string, others: ReadonlyArray<ReadonlyArray<string>>]> = [
  ['client 20', [['30'], ['40']]],
  ['email A@example.com', [['30'], ['40']]],
  // Nobody knows whose address is the person's.
  ['visitor 7', []],
  ['chat 5', []],
]
for (const [start, others] of doubtful)
  person(
    `from ${start} has those as likely others that only a visitor number joins, with another address`,
    async () => {
      const { parts } = await resolvePerson(linksIn(shared), it(start), [])
      const doubted = likelyOthers(parts)
      assert.equal(
        parts.filter((_, i) => doubted.has(i)).map(({ clients }) => clients),
        others,
      )
    },
  )

person('has the chats without a client of one visitor number and one address as one part', async () => {
  const chats = [
    ['client 20', 'visitor 7', 'email a@example.com'],
    ['chat 1', 'visitor 7', 'email a@example.com'],
    ['chat 2', 'visitor 7', 'email a@example.com'],
    ['chat 3', 'visitor 7', 'email B@example.com'],
    ['chat 4', 'visitor 7', 'email b@example.com'],
    ['chat 5', 'visitor 7'],
  ].map((document) => document.map(it))
  const findChats = linksIn(chats)
  const partsFrom = async (start: string) => {
    const { parts } = await resolvePerson(findChats, it(start), [])
    return parts.map((part) => [part.clients, part.chats, part.emails[0]])
  }
  assert.equal(await partsFrom('client 20'), [
    [['20'], [], 'a@example.com'],
    [[], ['1', '2'], 'a@example.com'],
    [[], ['3', '4'], 'B@example.com'],
    [[], ['5'], undefined],
  ])
  assert.equal((await partsFrom('chat 1'))[0], [[], ['1'], 'a@example.com'])
})

const excepted: ReadonlyArray<readonly [except: ReadonlyArray<string>, chats: string[], clients: string[]]> = [
  [[], ['1', '2', '3', '5', '6'], ['20', '30', '40']],
  [['client:30'], ['1', '5'], ['20']],
  [['chat:5'], ['1', '2', '3', '6'], ['20', '30', '40']],
  [['client:30', 'chat:5'], ['1'], ['20']],
  [['visitor:7'], ['1'], ['20']],
  [['client:40'], ['1', '2', '3', '5'], ['20', '30']],
  // A chat of a client who is included stays with that client.
  [['chat:2'], ['1', '2', '3', '5', '6'], ['20', '30', '40']],
]
for (const [except, chats, clients] of excepted)
  person(`without ${except.join(' and ') || 'anybody left out'} has the chats ${chats}`, async () => {
    const found = await resolvePerson(findShared, it('client 20'), [], [], except.map(certain))
    assert.equal([found.chats, found.clients], [chats, clients])
  })

person('does not take late events of a visitor number that somebody else has who was left out', async () => {
  const { followed } = await resolvePerson(findShared, it('client 20'), [], [], [certain('client:30')])
  assert.equal(texts(followed), ['chat 1', 'chat 5', 'client 20'])
  const all = await resolvePerson(findShared, it('client 20'), [])
  assert.ok(texts(all.followed).includes('visitor 7'))
})

person('does not take late events of an address that somebody left out has in capital letters', async () => {
  const docs = [
    ['chat 1', 'client 20', 'email ann@example.com'],
    ['chat 2', 'client 30', 'email ANN@example.com'],
  ].map((document) => document.map(it))
  const inAnyCase = linksIn(docs)
  const { followed, chats } = await resolvePerson(
    inAnyCase,
    it('email Ann@example.com'),
    [],
    [],
    [certain('client:30')],
  )
  assert.equal([texts(followed), chats], [['chat 1', 'client 20'], ['1']])
})

person('tells which chats are also of somebody who was left out, except those that were named', async () => {
  const docs = [
    ['chat 1', 'client 20'],
    ['chat 2', 'client 20'],
    ['chat 2', 'client 30'],
  ].map((document) => document.map(it))
  const findDocs = linksIn(docs)
  const contested = async (start: string, also: ReadonlyArray<string>, except: ReadonlyArray<string>) =>
    texts((await resolvePerson(findDocs, it(start), also.map(certain), [], except.map(certain))).contested)
  assert.equal(await contested('client 20', [], ['client:30']), ['chat 2'])
  assert.equal(await contested('client 20', [], ['chat:1']), ['chat 1'])
  assert.equal(await contested('client 20', ['chat:2'], ['client:30']), [])
  assert.equal(await contested('chat 2', [], ['client:30']), [])
  assert.equal(await contested('client 20', [], []), [])
})

person('has no enrichments under a visitor number that was left out', async () => {
  const keysOf = async (...except: string[]) =>
    enrichmentKeys('acme', await resolvePerson(findShared, it('client 20'), [], [], except.map(certain)))
  assert.ok((await keysOf('client:30')).includes('acme/visitorNumber:7'))
  assert.not((await keysOf('visitor:7')).includes('acme/visitorNumber:7'))
})

person('who was left out is not listed as likely, and is included again by its id', async () => {
  const others = [...shared, ['chat 2', 'client 30', 'email a@example.com'].map(it)]
  const all = linksIn(others)
  const { likely } = await resolvePerson(all, it('client 20'), [], [], [certain('client:30')])
  assert.equal(likely, [])
  const again = await resolvePerson(findShared, it('client 20'), [certain('client:40')], [], [certain('client:30')])
  assert.equal(
    [again.chats, again.clients],
    [
      ['1', '5', '6'],
      ['20', '40'],
    ],
  )
})

const generatedDocument = fc.record({
  chat: fc.integer({ min: 1, max: 5 }),
  client: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  visitor: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
})
const generated = fc
  .array(generatedDocument, { minLength: 1, maxLength: 10 })
  .map((all) =>
    all.map(({ chat, client, visitor }) => [
      { kind: 'chat' as const, value: `${chat}` },
      ...(client === undefined ? [] : [{ kind: 'client' as const, value: `${client}` }]),
      ...(visitor === undefined ? [] : [{ kind: 'visitor' as const, value: `${visitor}` }]),
    ]),
  )

person('is its parts together; without a part and those found through it, exactly the other parts remain', async () => {
  await fc.assert(
    fc.asyncProperty(generated, async (all) => {
      const findAll = linksIn(all)
      const start = { kind: 'chat' as const, value: all[0]?.[0]?.value ?? '' }
      const { chats, clients, parts } = await resolvePerson(findAll, start, [])
      assert.equal(parts.flatMap((part) => part.chats).sort(), chats)
      assert.equal(parts.flatMap((part) => part.clients).sort(), clients)
      for (const [i, part] of parts.entries()) {
        if (part.via.length === 0) continue
        const gone = new Set([i])
        for (const [n, { through }] of parts.entries()) if (through !== undefined && gone.has(through)) gone.add(n)
        const left = parts.filter((_, n) => !gone.has(n))
        const except = parts.flatMap((each, n) => (gone.has(n) ? exceptOf(each).map(certain) : []))
        const rest = await resolvePerson(findAll, start, [], [], except)
        assert.equal(rest.contested, [])
        assert.equal(rest.chats, left.flatMap((each) => each.chats).sort())
        assert.equal(rest.clients, left.flatMap((each) => each.clients).sort())
      }
    }),
  )
})

const spelled = (name: string, capitals: ReadonlyArray<boolean>) =>
  [...name].map((letter, i) => (capitals[i] ? letter.toUpperCase() : letter)).join('')
const address = fc
  .tuple(fc.constantFrom('max.mix@example.com', 'nora.lind@example.com'), fc.array(fc.boolean(), { maxLength: 12 }))
  .map(([name, capitals]): Identity => ({ kind: 'email', value: spelled(name, capitals) }))
const number = fc.constantFrom(
  '+1 (408) 555-0123',
  '14085550123',
  '+14085550123',
  '001 408 5550123',
  '+1 408 555 0124',
  '408-555-0123',
)
const phone = number.map((value): Identity => ({ kind: 'phone', value }))

person('is found, with all its parts, by an address or a phone number in any spelling', async () => {
  const named = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.oneof(address, phone)), { maxLength: 9 })
  await fc.assert(
    fc.asyncProperty(named, fc.oneof(address, phone), async (all, start) => {
      const docs = all.map(([chat, it]): Identity[] => [{ kind: 'chat', value: `${chat}` }, it])
      const { chats, parts } = await resolvePerson(linksIn(docs), start, [])
      const plain = ({ kind, value }: Identity) =>
        kind === 'email' ? value.toLowerCase() : value.replace(/\D/g, '').replace(/^00/, '')
      const meant = docs.filter(([, it]) => it?.kind === start.kind && plain(it) === plain(start))
      assert.equal(chats, [...new Set(meant.map(([chat]) => chat?.value ?? ''))].sort())
      assert.equal(parts.flatMap((part) => part.chats).sort(), chats)
    }),
  )
})

const calls: Identity[][] = [
  ['1', '+44 20 7946 0958', '20'],
  ['2', '020 7946 0958'],
  ['3', '+33 20 7946 0958'],
  ['4', '+44 20 7046 0958'],
].map(([chat = '', phone = '', client]) => [
  { kind: 'chat', value: chat },
  { kind: 'phone', value: phone },
  ...(client === undefined ? [] : [{ kind: 'client' as const, value: client }]),
])
const dialled: ReadonlyArray<readonly [string, chats: string[], likely: string[][]]> = [
  ['+442079460958', ['1'], [['chat 2']]],
  ['(020) 79460958', ['2'], [['chat 1', 'client 20'], ['chat 3']]],
  ['2079460958', [], [['chat 1', 'client 20'], ['chat 2'], ['chat 3']]],
  ['+49 20 7946 0958', [], [['chat 2']]],
  ['0958', [], []],
]
for (const [value, chats, likely] of dialled)
  person(`by the phone number ${value} has those as likely who have it apart from the country code`, async () => {
    const found = await resolvePerson(linksIn(calls), { kind: 'phone', value }, [])
    assert.equal([found.chats, found.likely.map(({ leadsTo }) => texts(leadsTo)).sort()], [chats, likely])
    assert.equal(
      found.identities.filter(({ kind }) => kind === 'phone').map((each) => phoneDigits(each.value)),
      found.identities.filter(({ kind }) => kind === 'phone').map(() => phoneDigits(value)),
    )
  })

person('by a phone number includes who has it apart from the country code only by an id', async () => {
  const start: Identity = { kind: 'phone', value: '+44 2079460958' }
  const withAll = await resolvePerson(linksIn(calls), start, ['phone'])
  assert.equal(withAll.chats, ['1'])
  const { chats, likely } = await resolvePerson(linksIn(calls), start, [certain('chat:2')])
  assert.equal([chats, likely], [['1', '2'], []])
})

person('keeps late events away under each spelling of a phone number that led to it', async () => {
  const docs = [['chat 1', 'phone +1(408)555-0123'].map(it)]
  const { followed } = await resolvePerson(linksIn(docs), { kind: 'phone', value: '+1 408 5550123' }, [])
  assert.equal(texts(followed), ['chat 1', 'phone +1 408 5550123', 'phone +1(408)555-0123'])
})

person('may have enrichments under every known id and address', async () => {
  const found = await resolvePerson(find, it('chat 1'), [])
  assert.equal([...enrichmentKeys('acme', found)].sort(), [
    'acme/chatId:1',
    'acme/clientId:20',
    'acme/email:a@example.com',
    'acme/phone:+1',
    'acme/visitorNumber:7',
  ])
})

person.run()
