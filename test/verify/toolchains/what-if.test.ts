// The reports of what-if for other tools: JUnit for CI servers, and the page in a browser.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sampleRun } from '../../bot/what-if/sample-run.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { openTab, overflow, startChromium, violations } from './console/browser.ts'
import { venv } from './python.ts'

const folder = temporaryFolder()
const requirements = fileURLToPath(new URL('what-if-requirements.txt', import.meta.url))
const environment = await venv('what-if', requirements)
if (E.isLeft(environment)) console.log(`skipped: junitparser: ${environment.left.message}`)
const browser = await startChromium()
if (typeof browser === 'string') console.log(`skipped: the page of what-if: ${browser}`)

const whatIf = suite('the reports of what-if for other tools')
whatIf.after(async () => {
  if (typeof browser !== 'string') await browser.close()
})

const program = `
import sys
from junitparser import Error, Failure, JUnitXml, Skipped
xml = JUnitXml.fromfile(sys.argv[1])
for suite in xml:
    kinds = [type(result).__name__ for case in suite for result in case.result]
    print(suite.tests, suite.failures, suite.errors, suite.skipped, *sorted(kinds))
`

if (E.isRight(environment))
  whatIf('a foreign parser of JUnit reads the same counts as the file says', async () => {
    const file = join(folder, 'junit.xml')
    writeFileSync(file, (await sampleRun(true)).junit)
    const read = execFileSync(environment.right.python, ['-c', program, file], { encoding: 'utf8' })
    assert.is(read.trim(), '6 4 1 1 Error Failure Failure Failure Failure Skipped')
  })

if (typeof browser !== 'string')
  whatIf('in both themes and at 360 px the page has no finding of axe-core, no request, no error', async () => {
    const file = join(folder, 'report.html')
    writeFileSync(file, (await sampleRun(true)).page)
    const { href } = pathToFileURL(file)
    for (const colorScheme of ['light', 'dark'] as const) {
      const tab = await openTab(browser, href.slice(0, href.lastIndexOf('/')), undefined, { colorScheme })
      for (const width of [1280, 360]) {
        await tab.page.setViewportSize({ width, height: 900 })
        await tab.page.goto(href)
        assert.equal(await violations(tab.page), [], `${colorScheme} at ${width}`)
        assert.is(await overflow(tab.page), 0, `${width}`)
      }
      assert.equal([tab.errors, tab.elsewhere], [[], []])
      await tab.context.close()
    }
  })

whatIf.run()
