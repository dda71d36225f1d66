import { readFileSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { debianPackage } from '../fetched.ts'
import type { SignedIn } from './world.ts'

/** Debian's Chromium, or the reason why there is none, in one sentence. */
export const startChromium = async (): Promise<Browser | string> => {
  const lacking = await debianPackage('chromium', 'chromium')
  return lacking ?? chromium.launch({ executablePath: '/usr/bin/chromium' })
}

/** What a page must never do. */
export type Mischief = {
  /** Errors and warnings of the console, and errors of the page. */
  readonly errors: string[]
  /** Requests to another origin. */
  readonly elsewhere: string[]
}

const watch = (page: Page, origin: string): Mischief => {
  const mischief: Mischief = { errors: [], elsewhere: [] }
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) mischief.errors.push(message.text())
  })
  page.on('pageerror', (error) => mischief.errors.push(error.message))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) mischief.elsewhere.push(url)
  })
  return mischief
}

type Options = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'deviceScaleFactor'>

/** A tab in its own browser context, signed in if a session is given. */
export const openTab = async (
  browser: Browser,
  origin: string,
  signedIn?: Pick<SignedIn, 'cookie'>,
  options: Options = {},
) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  if (signedIn !== undefined)
    await context.addCookies([
      {
        name: 'livechat_console',
        value: signedIn.cookie,
        domain: '127.0.0.1',
        path: '/console',
        httpOnly: true,
        secure: true,
        sameSite: 'Lax',
      },
    ])
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  return { page, context, ...watch(page, origin) }
}
export type Tab = Awaited<ReturnType<typeof openTab>>

/** Waits until the page has loaded all its data. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('main h1').waitFor()
  await page.locator('main .waiting').first().waitFor({ state: 'detached' })
}

/** How much wider the page is than the window, in pixels. Above 0, the page scrolls sideways. */
export const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe-core finds: each broken rule, with the places. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(`{${axe}}`)
  return page.evaluate<string[]>(
    `axe.run(document).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target)))`,
  )
}

/** What is wrong with a page in a wide and in a narrow window: what axe-core finds, and whether it scrolls sideways. */
export const flaws = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: string[] = []
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const violation of await violations(page)) found.push(`${width} px: ${violation}`)
    const wider = await overflow(page)
    if (wider !== 0) found.push(`${width} px: the page is ${wider} px wider than the window`)
  }
  return found
}

/** On the page Dead letters: shows the payload of the newest letter. */
export const showPayload = async (page: Page): Promise<void> => {
  await page
    .locator('section', { has: page.locator('#letters') })
    .locator('tbody th button')
    .first()
    .click()
  await page.getByRole('button', { name: 'Show the payload' }).click()
}
