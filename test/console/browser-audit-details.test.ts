import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { auditDetailsOf } from '../../src/console/pages/audit/details.ts'

const details = suite('details of the audit log in words')

for (const [detail, words, chat] of [
  ['conversation 7701', 'Conversation', '7701'],
  ['conversation (value withheld)', 'Conversation (value withheld)'],
  ['record chats/3/41', 'Record 41 of partition 3 of chats'],
  ['redrive show, id 10/5', 'Content of dead letter 10/5'],
  ['redrive show, id 10/5, chat 7701', 'Content of dead letter 10/5', '7701'],
  ['redrive show, id 2/0, quarantine true', 'Content of request 2/0 in quarantine'],
  ['redrive send', 'Dead letters'],
  ['redrive send, account acme, cause not-json, force true', 'Dead letters: account acme, cause “Not JSON”, force'],
  ['redrive quarantine, id 0/1,0/2', 'Requests in quarantine: letter 0/1,0/2'],
  ['find person, visitor 2746, also 1234', 'Search for a person: visitor number 2746, also 1234'],
  ['find person, email', 'Search for a person: email'],
  ['find person, email, found client:1701 chats:3', 'Search for a person: email, found client id 1701, 3 chats'],
  ['find person, email, found clients:9 chats:1', 'Search for a person: email, found 9 clients, 1 chat'],
  [
    'find person, chat 5, found client:(value withheld) chats:1',
    'Search for a person: chat 5, found client id (value withheld), 1 chat',
  ],
  ['erase, client 1233, ticket GDPR-1', 'Person: client id 1233, ticket GDPR-1'],
  ['names of agents', 'Names of agents'],
  ['a newer form, id 1', 'A newer form, id 1'],
] as const)
  details(`${detail}: ${words}`, () =>
    assert.equal(auditDetailsOf(detail), chat === undefined ? { words } : { words, chat }),
  )

details.run()
