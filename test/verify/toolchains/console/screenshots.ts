// Makes the images of contracts/guides/console.md: npm run screenshots.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newKeyFile } from '../../../../src/bridge/archive/key-file.ts'
import { finish, withServers } from '../../../support/finish.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { oneFailed, together } from '../../../support/outcome.ts'
import { openTab, settled, showPayload, startChromium } from './browser.ts'
import { stage, stagedChat, stagedClient, stagedDay, stageStatistics } from './stage.ts'
import { startConsoleWorld } from './world.ts'

const folder = fileURLToPath(new URL('../../../../contracts/guides/console/', import.meta.url))
const [mostBytes, mostOfAll] = [150_000, 800_000]

type Tab = Awaited<ReturnType<typeof openTab>>
type Shot = {
  readonly name: string
  readonly path: string
  readonly colorScheme?: 'dark'
  readonly prepare?: (page: Tab['page']) => Promise<void>
}

const shots: ReadonlyArray<Shot> = [
  // The letters are counted after the first request.
  { name: 'now', path: 'now', prepare: (page) => page.getByText('3 in quarantine').waitFor() },
  { name: 'conversations', path: 'conversations' },
  {
    name: 'conversation',
    path: `conversations/${stagedChat}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Show personal data' }).click()
      await page.getByText('is recorded in the audit log').waitFor()
      await page.locator('.attempts summary').nth(1).click()
      await page.getByRole('button', { name: 'Details of BotReplyDelivered' }).nth(1).click()
    },
  },
  {
    name: 'conversation-dark',
    path: `conversations/${stagedChat}`,
    colorScheme: 'dark',
    prepare: (page) => page.locator('.entry').last().scrollIntoViewIfNeeded(),
  },
  {
    name: 'dead-letters',
    path: 'dead-letters',
    prepare: async (page) => {
      await showPayload(page)
      await page.locator('.json li.wrong').first().waitFor()
    },
  },
  {
    name: 'statistics',
    path: `statistics?by=day&from=${stagedDay(16)}&to=${stagedDay(4)}&figure=figures.containment`,
  },
  {
    name: 'team',
    path: 'statistics',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Show names' }).click()
      await page.getByRole('rowheader', { name: 'Mia Lindqvist' }).waitFor()
    },
  },
  {
    name: 'privacy',
    path: 'privacy',
    prepare: async (page) => {
      await page.getByLabel('Value').fill(stagedClient)
      await page.getByRole('button', { name: 'Find' }).click()
      await page.getByLabel(/emil\.lind/).waitFor()
    },
  },
]

const make = async () => {
  const browser = await startChromium()
  if (typeof browser === 'string') return oneFailed(browser)
  const keyFile = join(temporaryFolder(), 'archive.json')
  writeFileSync(keyFile, newKeyFile('first'))
  const here = await startConsoleWorld({ ARCHIVE_KEY_FILE: keyFile })
  await stage(here)
  let total = 0
  for (const { name, path, colorScheme = 'light', prepare } of shots) {
    const { page, context } = await openTab(browser, here.origin, await here.signInAsAll('ann'), { colorScheme })
    if (path.startsWith('statistics')) await stageStatistics(here)
    await page.goto(here.page(path))
    await settled(page)
    await page.locator('.strip li').first().waitFor()
    await prepare?.(page)
    // The library of charts is loaded after the page.
    if ((await page.locator('.chart').count()) > 0) await page.locator('.chart canvas').first().waitFor()
    await page.evaluate('document.activeElement.blur()')
    // Playwright itself makes no WebP, which is a third as large as PNG.
    const browserSession = await context.newCDPSession(page)
    const { data } = await browserSession.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
    const image = Buffer.from(data, 'base64')
    writeFileSync(join(folder, `${name}.webp`), image)
    total += image.length
    console.log(`${name}.webp: ${image.length} bytes`)
    if (image.length > mostBytes) return oneFailed(`${name}.webp has more than ${mostBytes} bytes`)
    await context.close()
  }
  await browser.close()
  await here.stop()
  if (total > mostOfAll) return oneFailed(`the images have more than ${mostOfAll} bytes`)
  return { ...together([]), passed: shots.length }
}

await finish(
  () =>
    withServers('embedded', (env) => {
      Object.assign(process.env, env)
      return make()
    }),
  10,
)
