import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  alsoText,
  enrichmentKeys,
  type FindLinks,
  type Identity,
  looksLikeAddress,
  readAlso,
  resolvePerson,
} from '../../src/domain/person.ts'

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
const find: FindLinks = async (identities) =>
  documents.filter((document) => texts(document).some((name) => texts(identities).includes(name)))

person('says through which identity each chat, client and visitor was joined', async () => {
  const { joined } = await resolvePerson(find, it('chat 3'), ['email'])
  assert.equal(
    joined.map(({ identity, through }) => `${texts([identity])} through ${texts([through])}`),
    [
      'visitor 8 through chat 3',
      'chat 2 through visitor 8',
      'email a@example.com through visitor 8',
      'chat 1 through email a@example.com',
      'visitor 7 through email a@example.com',
      'client 20 through chat 1',
    ],
  )
})

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
  const all: FindLinks = async (identities) =>
    others.filter((document) => texts(document).some((name) => texts(identities).includes(name)))
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

person('includes persons with the same address if that is requested', async () => {
  const { chats, clients, likely } = await resolvePerson(find, it('client 20'), ['email'])
  assert.equal([chats, clients, likely], [['1', '2', '3'], ['20'], []])
})

person('is found by an address, which is then used as a link', async () => {
  const { chats } = await resolvePerson(find, it('email a@example.com'), [])
  assert.equal(chats, ['1', '2', '3'])
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
