import { gzipSync } from 'node:zlib'
import type { Response } from 'playwright-core'
import * as assert from 'uvu/assert'
import { overflow, settled, violations } from './console/browser.ts'
import { consoleSuite } from './console/suite.ts'

const quality = await consoleSuite('every page of the console')
const { test } = quality

const mostBytes = 150_000
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const lists = [
  'now',
  'conversations',
  'dead-letters',
  'quarantine',
  'statistics',
  'statistics?by=agent',
  'drift',
  'privacy',
  'audit',
  'system',
  'conversations?id=nobody',
]

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
      assert.equal(await violations(tab.page), [], `${path} ${colorScheme} at 360 px`)
    }
    assert.equal([tab.errors, tab.elsewhere], [[], []], colorScheme)
    await tab.context.close()
  }
})

test('the policy is strict on every file, including the library of charts, and all files are small', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('pages'))
  const responses: Response[] = []
  page.on('response', (response) => responses.push(response))
  await page.goto(here.page('statistics'))
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
