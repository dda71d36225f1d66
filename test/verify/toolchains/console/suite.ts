import type { Browser } from 'playwright-core'
import { suite } from 'uvu'
import { openTab, startChromium } from './browser.ts'
import { type ConsoleWorld, startConsoleWorld } from './world.ts'

/** A console, and a browser to open it. */
const startRunning = async () => {
  const browser = await startChromium()
  if (typeof browser === 'string') return browser
  const world = await startConsoleWorld().catch(async (error: unknown) => {
    await browser.close()
    throw error
  })
  return {
    ...world,
    browser,
    open: (signedIn?: Parameters<typeof openTab>[2], options?: Parameters<typeof openTab>[3]) =>
      openTab(browser, world.origin, signedIn, options),
  }
}
export type Running = ConsoleWorld & { readonly browser: Browser } & Exclude<
    Awaited<ReturnType<typeof startRunning>>,
    string
  >

let running: ReturnType<typeof startRunning> | undefined
let users = 0

/**
 * A suite of tests of a console. All files of one process share the console, because its start takes half a minute. It
 * stops after the last suite. Without Chromium, all these tests are skipped.
 */
export const consoleSuite = async (name: string) => {
  users += 1
  running ??= startRunning()
  const made = suite(name)
  const here = await running
  if (typeof here === 'string') console.log(`${name}: skipped, ${here}`)
  made.after(async () => {
    users -= 1
    if (users > 0 || typeof here === 'string') return
    await here.browser.close()
    await here.stop()
  })
  return {
    test: (title: string, body: (here: Running) => Promise<void>) =>
      typeof here === 'string' ? made.skip(title, () => {}) : made(title, () => body(here)),
    run: made.run,
  }
}
