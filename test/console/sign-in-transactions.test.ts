import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  pageAfterSignIn,
  surplusIn,
  transactionCookieName,
  transactionsIn,
} from '../../src/console/access/sign-in-transactions.ts'

const test = suite('where a sign-in leads')

for (const [next, page] of [
  ['/console/accounts/acme?tab=raw', '/console/accounts/acme?tab=raw'],
  ['/console/', '/console/'],
  [undefined, '/console/'],
  ['/consoles/x', '/console/'],
  ['/console/../metrics', '/console/'],
  ['//evil.example/console/', '/console/'],
  ['https://evil.example/console/', '/console/'],
  ['\\\\evil.example/console/', '/console/'],
  ['javascript:alert(1)', '/console/'],
  [['/console/a', '/console/b'], '/console/a,/console/b'],
] as const)
  test(`${JSON.stringify(next)} leads to ${page}`, () => assert.is(pageAfterSignIn('/console', next), page))

test('a browser has the cookies of at most five sign-ins that are not finished: the first ones end', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].map(transactionCookieName)
  const cookies = (count: number) => ['other=1', ...names.slice(0, count).map((name) => `${name}=x`)].join('; ')
  assert.equal(transactionsIn(cookies(6)), names)
  assert.equal(
    [0, 4, 5, 6].map((count) => surplusIn(cookies(count))),
    [[], [], names.slice(0, 1), names.slice(0, 2)],
  )
})

test.run()
