import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConsoleRole } from '../../src/bridge/domain/accounts.ts'
import { pagesFor } from '../../src/console/browser/menu.ts'
import { pathOf, routeOf, wayBack } from '../../src/console/browser/route.ts'
import {
  changed,
  filtersOf,
  formAsks,
  isOnePage,
  mayBeInAddress,
  noFilters,
  queryOf,
  refreshed,
  type Typed,
  typedAs,
} from '../../src/console/pages/conversations/filters.ts'

const filters = suite('the address')

const read = (query: string) => queryOf(filtersOf(new URLSearchParams(query)))

filters('keeps every filter, in one order', () =>
  assert.is(
    read(
      'sort=waits&failed=true&unanswered=true&id=2037&to=2026-11-24&from=2026-11-24T17%3A00&widget=w+1&agent=12&outcome=contained&kind=bot&state=open',
    ),
    'state=open&kind=bot&outcome=contained&agent=12&widget=w+1&from=2026-11-24T17%3A00&to=2026-11-24&id=2037&unanswered=true&failed=true&sort=waits',
  ),
)

filters('drops unknown parameters', () =>
  assert.is(
    read('state=closed&kind=cat&from=today&to=2026-11-24T5&unanswered=1&failed=false&id=++&cursor=x&__proto__=1'),
    '',
  ),
)

for (const state of ['', 'state=over&', 'state=open&'])
  filters(`names the sessions that are listed by their wait, and keeps their state: ${state || 'any'}`, () =>
    assert.is(read(`${state}sort=waits`), `${state}unanswered=true&sort=waits`),
  )

const waits = 'state=open&unanswered=true&sort=waits'
for (const [what, given, part, then] of [
  [
    'the longest wait is of sessions without an answer, in any state',
    'kind=bot',
    { sort: 'waits' },
    'kind=bot&unanswered=true&sort=waits',
  ],
  ['another state keeps the order', waits, { state: 'over' }, 'state=over&unanswered=true&sort=waits'],
  ['any state keeps the order', waits, { state: '' }, 'unanswered=true&sort=waits'],
  ['answered sessions are not listed by their wait', waits, { unanswered: false }, 'state=open'],
  ['another order keeps the other filters', waits, { sort: 'longest' }, 'state=open&unanswered=true&sort=longest'],
  ['another filter keeps the order', waits, { failed: true }, 'state=open&unanswered=true&failed=true&sort=waits'],
] as const)
  filters(`follows a choice in the form: ${what}`, () => {
    const next = queryOf(changed(filtersOf(new URLSearchParams(given)), part))
    assert.equal(new URLSearchParams(next).toString(), read(then))
    assert.is(read(next), next)
  })

filters('has one page for an order that no index has', () =>
  assert.equal(
    ['', 'sort=oldest', 'sort=longest', waits, 'sort=waits', 'state=over&sort=waits'].map((query) =>
      isOnePage(filtersOf(new URLSearchParams(query))),
    ),
    [false, false, true, false, true, true],
  ),
)

filters('has no query without filters', () => assert.is(queryOf(noFilters), ''))

filters('leads to a page with any characters in the ids', () => {
  const path = pathOf('acme', 'conversations', 'state=open', 'a/b ?%')
  assert.is(path, 'accounts/acme/conversations/a%2Fb%20%3F%25?state=open')
  const [pathname = '', search = ''] = `/console/${path}`.split(/(?=\?)/)
  const route = routeOf('/console/', pathname, search)
  assert.equal(
    [route?.account, route?.page, route?.chat, route?.query.toString()],
    ['acme', 'conversations', 'a/b ?%', 'state=open'],
  )
})

for (const path of [
  '/console/',
  '/elsewhere/accounts/acme/now',
  '/console/accounts/acme/nothing',
  '/console/accounts//now',
  '/console/accounts/acme/now/2037',
  '/console/accounts/acme/conversations/1/2',
])
  filters(`leads to no page: ${path}`, () => assert.is(routeOf('/console/', path, ''), undefined))

const listPath = '/console/accounts/acme/conversations'
for (const [from, back] of [
  [`${listPath}?state=open&sort=oldest`, `${listPath}?state=open&sort=oldest`],
  [listPath, listPath],
  ['/console/accounts/other/conversations?state=open', listPath],
  [`${listPath}/2037?reply=1`, listPath],
  ['/console/accounts/acme/now?waits=all', listPath],
  [undefined, listPath],
  [{ path: listPath }, listPath],
] as const)
  filters(`of the list is kept for the way back from a conversation: ${JSON.stringify(from)}`, () =>
    assert.is(wayBack(listPath, from), back),
  )

filters('is read even if an escape sequence is broken', () =>
  assert.is(routeOf('/', '/accounts/acme/conversations/%E0%A4', '')?.chat, '%E0%A4'),
)

filters('leads to pages about persons and operators only with the role privacy', () => {
  const restricted = (role: ConsoleRole) => {
    const open = pagesFor([role]).map(({ name }) => name)
    return open.filter((name) => name === 'privacy' || name === 'audit')
  }
  assert.equal((['viewer', 'operator', 'privacy'] as const).map(restricted), [[], [], ['privacy', 'audit']])
  assert.equal(pagesFor([]), [])
})

const typings: ReadonlyArray<readonly [string, Typed]> = [
  ['2037', 'id'],
  ['550e8400-e29b-41d4-a716-446655440000', 'id'],
  ['020 79', 'id'],
  [' ann@example.com ', 'email'],
  ['+44 20 7946 0958', 'phone'],
  ['+442079460958', 'phone'],
  ['(020) 7946-0958', 'phone'],
  ['442079460958', 'number'],
]
for (const [text, typed] of typings)
  filters(`a text in the search field is taken as ${typed}: ${text}`, () => assert.is(typedAs(text), typed))

const shownNow = { ...noFilters, id: '2037', state: 'open' } as const
for (const text of ['ann@example.com', '+44 20 7946 0958', '442079460958'])
  filters(`never have what was typed to find a person: ${text}`, () => {
    assert.equal(formAsks(shownNow, { ...shownNow, id: ` ${text} ` }), { query: 'state=open', person: text })
    assert.equal(formAsks(noFilters, { ...noFilters, id: text }, { state: 'over' }), {
      query: 'state=over',
      person: text,
    })
  })

filters('have what was typed as an id, and keep what they have already', () => {
  assert.equal(formAsks(shownNow, { ...shownNow, id: '1233' }), { query: 'state=open&id=1233', person: '' })
  const asId = { ...noFilters, id: '442079460958' }
  assert.equal(formAsks(asId, asId, { failed: true }), { query: 'id=442079460958&failed=true', person: '' })
})

filters('a link to the sessions of a client has no address and no number with signs', () =>
  assert.equal(['1233', '442079460958', 'ann@example.com', '+44 20 7946 0958'].map(mayBeInAddress), [
    true,
    true,
    false,
    false,
  ]),
)

const list = suite('a list that is refreshed')

const row = (chatId: string, replies: number) => ({ chatId, kind: 'bot', number: 1, replies })

list('keeps its rows in their places with their new data, and counts the new rows', () =>
  assert.equal(refreshed([row('1', 0), row('2', 0), row('3', 0)], [row('4', 1), row('3', 2), row('1', 3)]), {
    rows: [row('1', 3), row('2', 0), row('3', 2)],
    waiting: 1,
  }),
)

list('distinguishes sessions of one chat', () =>
  assert.is(
    refreshed(
      [row('1', 0)],
      [
        { ...row('1', 0), number: 2 },
        { ...row('1', 0), kind: 'agent' },
      ],
    ).waiting,
    2,
  ),
)

filters.run()
list.run()
