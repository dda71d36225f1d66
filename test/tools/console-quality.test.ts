import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { overflow, settled, violations } from './console/browser.ts'
import { consoleSuite } from './console/suite.ts'

const quality = await consoleSuite('every page of the console')
const { test } = quality

const mostBytes = 150_000
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const lists = [
  ...['now', 'conversations', 'dead-letters', 'quarantine', 'statistics', 'statistics?by=agent', 'drift', 'privacy'],
  ...['audit', 'conversations?id=nobody'],
]

test('no page has a fault that axe-core finds, an error, a foreign request, or scrolls sideways, in both themes and at 360 px', async (here) => {
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
      assert.equal(await violations(tab.page), [], `${path} ${colorScheme} at 360 px`)
    }
    assert.equal([tab.errors, tab.elsewhere], [[], []], colorScheme)
    await tab.context.close()
  }
})

test('the policy is strict on every file, and all of them are small', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('pages'))
  const files = new Map<string, number>()
  const policies = new Set<string | undefined>()
  page.on('response', async (response) => {
    policies.add(response.headers()['content-security-policy'])
    const { pathname } = new URL(response.url())
    if (!/\/api\//.test(pathname)) files.set(pathname, gzipSync(await response.body()).length)
  })
  await page.goto(here.page('statistics'))
  await settled(page)
  const total = [...files.values()].reduce((sum, size) => sum + size, 0)
  assert.equal([...policies], [policy])
  assert.ok(files.size > 10 && total > 10_000 && total <= mostBytes, `${files.size} files of ${total} bytes`)
  await context.close()
})

quality.run()
