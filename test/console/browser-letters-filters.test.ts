import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  addressQueryOf,
  isNarrowed,
  lettersFiltersOf,
  requestQueryOf,
  sentBy,
} from '../../src/console/pages/dead-letters/filters.ts'

const test = suite('the filters of dead letters')

const rows: ReadonlyArray<readonly [name: string, given: string, address: string, request: string]> = [
  ['no filter asks for unresolved letters', '', '', 'state=unresolved'],
  ['all states are a missing state in the request', 'state=all', 'state=all', ''],
  ['a state is in both', 'state=failed-again', 'state=failed-again', 'state=failed-again'],
  ['an unknown state is as none', 'state=lost', '', 'state=unresolved'],
  [
    'text and the account are in both',
    'chat=7&cause=contract&reason=a+b&topic=bot-replies&unowned=true',
    'cause=contract&topic=bot-replies&chat=7&reason=a+b&unowned=true',
    'cause=contract&topic=bot-replies&chat=7&reason=a+b&unowned=true&state=unresolved',
  ],
  ['the open letter is no filter', 'letter=0%2F1&reply=2', '', 'state=unresolved'],
]
for (const [name, given, address, request] of rows)
  test(name, () => {
    const filters = lettersFiltersOf(new URLSearchParams(given))
    assert.is(addressQueryOf(filters), address)
    assert.is(requestQueryOf(filters), request)
    assert.equal(lettersFiltersOf(new URLSearchParams(address)), filters)
  })

for (const [given, narrowed, sent, again] of [
  ['', false, 'state=unresolved', ''],
  ['state=all', false, 'state=unresolved', ''],
  ['state=sent', true, 'state=unresolved', ''],
  ['state=failed-again', true, 'state=failed-again', ''],
  ['chat=7', true, 'chat=7&state=unresolved', 'chat=7'],
  ['cause=contract&topic=calls', true, 'cause=contract&topic=calls&state=unresolved', 'cause=contract&topic=calls'],
] as const)
  test(`a group that is filtered by "${given}" sends only what it shows`, () => {
    const filters = lettersFiltersOf(new URLSearchParams(given))
    assert.is(isNarrowed(filters), narrowed)
    assert.is(requestQueryOf(sentBy(filters, { again: false })), sent)
    assert.is(requestQueryOf(sentBy(filters, { again: true })), again)
  })

test.run()
