import type { Request } from 'playwright-core'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { settled } from './console/browser.ts'
import { consoleSuite } from './console/suite.ts'

const openId = await consoleSuite('OpenID Connect in the browser')
const { test } = openId

test('a lead signs in with the provider, gets to the requested page, and signs out', async (here) => {
  here.provider.state.person = { sub: 'u-1', email: 'ann@example.com', email_verified: true, groups: ['lead'] }
  const { page, context, errors } = await here.open()
  await page.goto(here.page('statistics?by=agent'))
  await page.getByRole('link', { name: `Sign in with ${new URL(here.provider.issuer).host}` }).click()
  await page.waitForURL(here.page('statistics?by=agent'))
  await settled(page)
  assert.is(await page.locator('.who bdi').innerText(), 'ann@example.com')
  // Without the badges.
  const menu = (await page.locator('nav a').allInnerTexts()).map((text) => text.replace(/\s*\d+$/, ''))
  assert.equal(menu, ['Now', 'Conversations', 'Statistics', 'Dead letters', 'Quarantine', 'Drift', 'System'])
  await page.goto(here.page('privacy'))
  await page.getByRole('heading', { name: 'No access' }).waitFor()
  await page.goto(here.page('now'))
  await settled(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  assert.equal(
    [await here.db.collection('console_sessions').countDocuments({ who: 'ann@example.com' }), errors],
    [0, []],
  )
  await page.goto(here.page('now'))
  await page.getByRole('link', { name: 'Sign in with' }).waitFor()
  await context.close()
})

test('a user without a role sees that', async (here) => {
  here.provider.state.person = { sub: 'u-2', email: 'eve@example.com', groups: ['accountants'] }
  const { page, context } = await here.open()
  await page.goto(here.page('now'))
  await page.getByRole('link', { name: 'Sign in with' }).click()
  await page.getByRole('heading', { name: 'You have no role here' }).waitFor()
  await context.close()
})

test('after a session is revoked its stream ends, the page shows it, and continues after another sign-in', async (here) => {
  here.provider.state.person = { sub: 'u-3', email: 'kim@example.com', email_verified: true, groups: ['viewer'] }
  await here.service.clientWrites('revoked-1', 'Hello')
  const { page, context } = await here.open()
  const ended: string[] = []
  const note = (request: Request) => request.url().endsWith('/live') && ended.push(request.url())
  page.on('requestfinished', note).on('requestfailed', note)
  await page.goto(here.page('conversations'))
  await page.getByRole('link', { name: 'Sign in with' }).click()
  await settled(page)
  await page.getByRole('link', { name: 'revoked-1' }).click()
  await page.getByText('live', { exact: true }).waitFor()
  assert.equal(ended, [])
  await here.db.collection('console_sessions').deleteMany({ who: 'kim@example.com' })
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await eventually('the end of the stream', () => ended.length > 0)
  const other = await context.newPage()
  await other.goto(here.page('now'))
  await other.getByRole('link', { name: 'Sign in with' }).click()
  await settled(other)
  await page.getByRole('button', { name: 'I have signed in: try again' }).click()
  await page.getByRole('heading', { name: 'Chat revoked-1' }).waitFor()
  await context.close()
})

openId.run()
