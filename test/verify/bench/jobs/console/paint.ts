import type { Browser, Page } from 'playwright-core'
import { openTab, startChromium } from '../../../toolchains/console/browser.ts'
import type { Bench } from '../../bench.ts'
import type { Gather } from '../../findings.ts'
import { latencies } from '../../load/latencies.ts'

/** A page: its path below the origin, a new one for each view, and a selector that matches once its content is there. */
type Shown = { readonly of: string; readonly path: () => string; readonly content: string }

/**
 * Runs in the page before its scripts. `painted` is the time in ms from the beginning of the navigation until the frame
 * with the content was painted. The browser handles a message right after the frame in which it is sent.
 */
const watching = (content: string) => `
  window.painted = new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => resolve(performance.now())
    const look = () => {
      if (document.querySelector(${JSON.stringify(content)}) === null) requestAnimationFrame(look)
      else port2.postMessage('')
    }
    requestAnimationFrame(look)
  })`

const paintedAt = async (page: Page, url: string): Promise<number> => {
  await page.goto(url)
  return page.evaluate<number>('window.painted')
}

/** Each view in a tab of its own browser context, with an empty cache; then another view in the same tab. */
const measurePage = async (
  browser: Browser,
  origin: string,
  cookie: string,
  { path, content }: Shown,
  views: number,
) => {
  const [cold, warm] = [latencies(), latencies()]
  for (let n = 0; n < views; n++) {
    const { context, page } = await openTab(browser, origin, { cookie })
    await page.addInitScript(watching(content))
    for (const took of [cold, warm]) took.record(await paintedAt(page, `${origin}/${path()}`))
    await context.close()
  }
  return { cold: cold.summary(), warm: warm.summary() }
}

/** The time from the beginning of the navigation until Chromium has painted the content of a page. */
export const measurePaint = async (
  bench: Bench,
  { add }: Pick<Gather, 'add'>,
  origin: string,
  cookie: string,
  pages: ReadonlyArray<Shown>,
): Promise<void> => {
  const browser = await startChromium()
  if (typeof browser === 'string') return bench.say(`first paint is not measured: ${browser}`)
  bench.afterwards(() => browser.close())
  const { rounds, views } = bench.size.console
  for (let round = 0; round < rounds; round++)
    for (const page of pages) {
      const took = await measurePage(browser, origin, cookie, page, views)
      for (const cache of ['cold', 'warm'] as const) {
        const { p50, p90 } = took[cache]
        const figure = { case: `first paint of ${page.of}`, who: `Chromium, ${cache} cache`, unit: 'ms' }
        add({ ...figure, metric: 'p50' }, p50)
        add({ ...figure, metric: 'p90' }, p90)
        bench.say(`${figure.case}, ${cache} cache: p50 ${p50.toFixed(0)} ms, p90 ${p90.toFixed(0)} ms`)
      }
    }
}
