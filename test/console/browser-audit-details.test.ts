import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { optionsOf } from '../../src/bridge/operations/audit.ts'
import { auditDetailsOf } from '../../src/console/pages/audit/details.ts'

const details = suite('details of the audit log in words')

for (const [command, options, words, chat] of [
  ['conversation', { chat: '7701' }, 'Conversation', '7701'],
  ['conversation', { chat: '(value withheld)' }, 'Conversation (value withheld)'],
  ['record', { topic: 'chats', partition: 3, offset: 41 }, 'Record 41 of partition 3 of chats'],
  ['redrive show', { id: '10/5' }, 'Content of dead letter 10/5'],
  ['redrive show', { id: '10/5', chat: '7701' }, 'Content of dead letter 10/5', '7701'],
  ['redrive show', { id: '2/0', quarantine: true }, 'Content of request 2/0 in quarantine'],
  ['redrive send', {}, 'Dead letters'],
  [
    'redrive send',
    { account: 'acme', cause: 'not-json', force: true },
    'Dead letters: account acme, cause “Not JSON”, force',
  ],
  ['redrive quarantine', { id: ['0/1', '0/2'] }, 'Requests in quarantine: letter 0/1, letter 0/2'],
  ['find person', { visitor: '2746', also: ['1234'] }, 'Search for a person: visitor number 2746, also 1234'],
  ['find person', { email: true }, 'Search for a person: email'],
  [
    'find person',
    { email: true, 'found-client': ['1701'], 'found-chats': 3 },
    'Search for a person: email, found client id 1701, found 3 chats',
  ],
  [
    'find person',
    { email: true, 'found-clients': 9, 'found-chats': 1 },
    'Search for a person: email, found 9 clients, found 1 chat',
  ],
  ['erase', { client: '1233', ticket: 'a, b' }, 'Person: client id 1233, ticket a, b'],
  ['names of agents', {}, 'Names of agents'],
] as const)
  details(`${command} ${JSON.stringify(options)}: ${words}`, () =>
    assert.equal(
      auditDetailsOf({ command, options: optionsOf(options), detail: command }),
      chat === undefined ? { words } : { words, chat },
    ),
  )

details('an action of a former commit, which has no options, is shown as it was recorded', () =>
  assert.equal(auditDetailsOf({ detail: 'erase, client 1' }), { words: 'Erase, client 1' }),
)

details.run()
