import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'
import * as assert from 'uvu/assert'
import { pages } from '../../../src/console/browser/menu.ts'
import { eventually } from '../../support/eventually.ts'
import { overflow, settled, showPayload, violations } from './console/browser.ts'
import { consoleSuite } from './console/suite.ts'

const quality = await consoleSuite('every page of the console')
const { test } = quality

const mostBytes = 150_000
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const lists = [
  ...pages.map(({ name }) => name),
  'statistics?by=agent',
  'statistics?part=Failed',
  'conversations?id=nobody',
]

/** The links of the menu that are outside of it, so that one must scroll to see them. */
const cutLinks = (page: Page) =>
  page.evaluate<string[]>(`{
    const menu = document.querySelector('nav').getBoundingClientRect()
    const isOutside = ({ left, right, bottom }) => left < menu.left || right > menu.right || bottom > menu.bottom
    ;[...document.querySelectorAll('nav a')].filter((it) => isOutside(it.getBoundingClientRect())).map((it) => it.innerText)
  }`)

test('in both themes and at 360 px, no page has a finding of axe-core, an error, a foreign request, or a horizontal scroll bar', async (here) => {
  const signedIn = await here.signInAsAll('pages')
  const found = await here.db
    .collection('sessions')
    .findOne({ accountId: 'acme', outcome: 'contained' }, { sort: { startedAt: 1 } })
  const paths = [...lists, `conversations/${found?.chatId}`]
  for (const colorScheme of ['light', 'dark'] as const) {
    const tab = await here.open(signedIn, { colorScheme })
    for (const path of paths) {
      await tab.page.setViewportSize({ width: 1280, height: 900 })
      await tab.page.goto(here.page(path))
      await settled(tab.page)
      assert.equal(await violations(tab.page), [], `${path} ${colorScheme}`)
      await tab.page.setViewportSize({ width: 360, height: 740 })
      assert.is(await overflow(tab.page), 0, `${path} at 360 px`)
      assert.equal(await cutLinks(tab.page), [], `the menu of ${path} at 360 px`)
      assert.equal(await violations(tab.page), [], `${path} ${colorScheme} at 360 px`)
    }
    assert.equal([tab.errors, tab.elsewhere], [[], []], colorScheme)
    await tab.context.close()
  }
})

/** The tables that are wider than the place for them. */
const scrolling = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.scroll')].filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.ariaLabel)`,
  )

test('at 1024 px the tables of conversations, drift and statistics do not scroll sideways', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('pages'), { viewport: { width: 1024, height: 800 } })
  for (const path of [
    'conversations',
    'conversations?sort=oldest',
    'drift',
    'statistics',
    'statistics?by=agent',
    'statistics?by=widget',
    'statistics?by=bot',
  ]) {
    await page.goto(here.page(path))
    await settled(page)
    await page.locator('tbody tr').first().waitFor()
    assert.equal([await scrolling(page), await overflow(page)], [[], 0], path)
  }
  await context.close()
})

test('on the page Now no gap is under who waits', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('pages'))
  for (const width of [1280, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(here.page('now'))
    await settled(page)
    await page.getByText('Is today unusual?').waitFor()
    const [waits, next] = await Promise.all([0, 1].map((n) => page.locator('.cards.now > *').nth(n).boundingBox()))
    const gap = (next?.y ?? 0) - (waits?.y ?? 0) - (waits?.height ?? 0)
    assert.ok(gap > 0 && gap < 30, `${width} px: a gap of ${gap} px`)
  }
  await context.close()
})

test('on a small screen fifty letters, and a team of fifty, are at most 4,000 px long', async (here) => {
  const { db } = here
  const by = db.collection<{ _id: string }>('daily_stats_by')
  const like = await eventually('the statistics of an agent', async () => {
    const found = await by.findOne({ accountId: 'acme', by: 'agent' })
    return found ?? undefined
  })
  const day = '2026-01-31'
  const agents = Array.from({ length: 50 }, (_, n) => String(9_000 + n))
  await by.insertMany(agents.map((id) => ({ ...like, _id: `acme/${day}/agent/${id}`, day, id })))
  const sessions = db.collection<{ _id: string; chatId?: string; agents?: object[] }>('sessions')
  const session = await sessions.findOne({ accountId: 'acme', kind: 'agent' })
  const named = agents.map((id) => ({ id, name: 'Alexandra Lindqvist', part: 'accepted', messages: 3 }))
  await sessions.insertOne({ ...session, _id: 'acme/named/agent/1', chatId: 'named', agents: named })
  for (let n = 0; n < 50; n++)
    await here.produce(
      'bot-replies',
      `acme/${9_000 + n}`,
      JSON.stringify({
        type: 'BotMessage',
        id: `long-${n}`,
        accountId: 'acme',
        chatId: `${9_000 + n}`,
        clientId: '1233',
        message: { type: 'BUTTONS', title: 'When?', buttons: [] },
      }),
    )
  const { page, context } = await here.open(await here.signInAsAll('pages'), { viewport: { width: 390, height: 844 } })
  for (const [path, rows] of [
    [`statistics?by=agent&from=${day}&to=${day}`, '#figures'],
    ['dead-letters?reason=message.buttons%3A+expected+1+to+3+buttons', '#letters'],
  ] as const) {
    const shown = page.locator('section', { has: page.locator(rows) }).locator('tbody tr')
    const rowsNow = { count: 0 }
    await eventually(`fifty rows of ${path}`, async () => {
      await page.goto(here.page(path))
      await settled(page)
      rowsNow.count = await shown.count()
      return rowsNow.count >= 50
    })
    if (path.startsWith('statistics')) await page.getByRole('button', { name: 'Show names' }).click()
    if (path.startsWith('statistics')) await page.getByText('Alexandra Lindqvist').last().waitFor()
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    assert.ok(height <= 80 * rowsNow.count, `${path}: ${height} px for ${rowsNow.count} rows`)
    assert.is(await overflow(page), 0, path)
    assert.equal(await scrolling(page), [], path)
  }
  await showPayload(page)
  await page.getByRole('region', { name: 'Headers of the record' }).waitFor()
  assert.equal(await scrolling(page), [], 'the panel of a letter')
  await by.deleteMany({ id: { $in: agents } })
  await sessions.deleteOne({ _id: 'acme/named/agent/1' })
  await context.close()
})

test('on a small screen pages begin with what they list, and the filters unfold; in a wide window they are there', async (here) => {
  const { page, context, errors } = await here.open(await here.signInAsAll('pages'))
  const from = page.locator('.filters :is([type="date"], [type="datetime-local"])').first()
  for (const [path, listed] of [
    ['statistics?by=day', 'main .card'],
    ['statistics?by=agent', 'main .card'],
    ['statistics?part=Failed', 'main .card'],
    ['conversations', 'main tbody tr'],
    ['audit', 'main :is(tbody tr, .empty)'],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(here.page(path))
    await settled(page)
    await from.waitFor()
    assert.is(await page.getByText('Filters: ').isVisible(), false)
    await page.setViewportSize({ width: 390, height: 844 })
    await from.waitFor({ state: 'hidden' })
    const { y = 844 } = (await page.locator(listed).first().boundingBox()) ?? {}
    assert.ok(y < 560, `${path}: what it lists begins at ${y} px`)
    await page.getByText('Filters: ').click()
    await page.getByRole('button', { name: 'Yesterday' }).click()
    await page.waitForURL(/from=/)
    await settled(page)
    await from.waitFor()
    assert.equal(await violations(page), [], path)
  }
  assert.equal(errors, [])
  await context.close()
})

test('the policy is strict on every file, including the library of charts, and all files are small', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('pages'))
  const responses: Response[] = []
  page.on('response', (response) => responses.push(response))
  await page.goto(here.page('now'))
  await page.locator('.chart canvas').first().waitFor()
  await settled(page)
  const policies = new Set(responses.map((response) => response.headers()['content-security-policy']))
  const files = responses.filter((response) => !response.url().includes('/api/'))
  const encodings = new Set(files.map((response) => response.headers()['content-encoding']))
  let total = 0
  for (const response of files) total += gzipSync(await response.body()).length
  assert.equal([[...policies], [...encodings]], [[policy], ['gzip']])
  assert.ok(files.length === 4 && total > 10_000 && total <= mostBytes, `${files.length} files of ${total} bytes`)
  await context.close()
})

quality.run()
