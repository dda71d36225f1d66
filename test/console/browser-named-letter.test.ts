import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { letterQuery, namedLetter } from '../../src/console/pages/dead-letters/named-letter.ts'

const named = suite('the letter that the address names')
const letters = [
  {
    id: '0/3',
    appendedAt: '2026-11-25T18:00:00.003Z',
    earlier: [{ id: '0/1', appendedAt: '2026-11-25T18:00:00.001Z' }],
  },
  { id: '0/2', appendedAt: '2026-11-25T18:00:00.002Z', earlier: [] },
  { id: '1/2', earlier: [] },
]

for (const [address, id] of [
  [{ letter: '', appended: '' }, undefined],
  [{ letter: '0/2', appended: '' }, '0/2'],
  [{ letter: '1/2', appended: '2026-11-25T18:00:00.003Z' }, '1/2'],
  [{ letter: '', appended: '2026-11-25T18:00:00.002Z' }, '0/2'],
  [{ letter: '0/1', appended: '' }, '0/3'],
  [{ letter: '', appended: '2026-11-25T18:00:00.001Z' }, '0/3'],
  [{ letter: '', appended: '2026-11-25T18:00:00.004Z' }, undefined],
  [{ letter: '0/4', appended: '2026-11-25T18:00:00.002Z' }, undefined],
] as const)
  named(`${JSON.stringify(address)} names ${id}`, () => assert.is(namedLetter(letters, address)?.id, id))

named('a reply leads to its letter among all letters of the chat, and back', () => {
  const query = new URLSearchParams(letterQuery('broken-2', '2026-11-25T18:00:00.002Z', 'event 1'))
  assert.equal(Object.fromEntries(query), {
    chat: 'broken-2',
    state: 'all',
    appended: '2026-11-25T18:00:00.002Z',
    reply: 'event 1',
  })
})

named.run()
