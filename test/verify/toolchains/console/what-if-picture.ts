// Makes the picture of contracts/guides/what-if.md: node test/verify/toolchains/console/what-if-picture.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { sampleRun } from '../../../bot/what-if/sample-run.ts'
import { startChromium } from './browser.ts'

const picture = fileURLToPath(new URL('../../../../contracts/guides/what-if.webp', import.meta.url))

const browser = await startChromium()
if (typeof browser === 'string') throw new Error(browser)
const folder = mkdtempSync(join(tmpdir(), 'what-if-'))
writeFileSync(join(folder, 'report.html'), (await sampleRun(false)).page)
const context = await browser.newContext({ viewport: { width: 1100, height: 900 } })
const page = await context.newPage()
await page.goto(pathToFileURL(join(folder, 'report.html')).href)
// Playwright itself makes no WebP.
const session = await context.newCDPSession(page)
const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
writeFileSync(picture, Buffer.from(data, 'base64'))
await browser.close()
rmSync(folder, { recursive: true })
