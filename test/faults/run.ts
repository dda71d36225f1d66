import { parseArgs } from 'node:util'
import { startCluster } from './cluster.ts'
import type { Size } from './scenario.ts'
import { scenarios } from './scenarios/index.ts'
import { type Control, controlsOf, failedAsItShould, notesOf, type Result, tableOf } from './table.ts'

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    controls: { type: 'string', default: 'yes' },
  },
})
const size: Size = values.short ? 'short' : 'long'
const chosen = scenarios.filter(({ name, inShort }) =>
  values.only.length > 0 ? values.only.includes(name) : size === 'long' || inShort,
)
const began = performance.now()
const say = (text: string) => console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`)

const cluster = await startCluster()
const interrupted = async () => {
  await cluster.stop()
  process.exit(1)
}
process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
const results: Result[] = []
const controls: Control[] = []
const broken: string[] = []

for (const scenario of values.controls === 'only' ? [] : chosen) {
  say(`${scenario.name}: ${scenario.fault}`)
  try {
    const findings = await scenario.run(cluster, size)
    results.push({ scenario, findings })
    say(findings.failures.length === 0 ? '✓ kept' : `✘ ${findings.failures.join('; ')}`)
  } catch (error) {
    broken.push(`${scenario.name}: ${error instanceof Error ? error.stack : error}`)
    say(`✘ the run itself failed: ${error instanceof Error ? error.stack : error}`)
    break
  }
}
for (const scenario of values.controls === 'no' || broken.length > 0 ? [] : chosen)
  for (const without of scenario.controls) {
    say(`control of ${scenario.name}, without: ${without}`)
    const findings = await scenario.run(cluster, 'short', without).catch((error: Error) => error)
    controls.push({ scenario, without, findings })
    if (findings instanceof Error) broken.push(`control of ${scenario.name}: ${findings.stack}`)
    say(failedAsItShould({ scenario, without, findings }) ? '✓ failed as it should' : '✘ did not fail')
    if (findings instanceof Error) say(String(findings.stack))
  }
await cluster.stop()

console.log(`\n${tableOf(results)}\n\n${notesOf(results)}\n\n${controlsOf(controls)}\n`)
const well =
  broken.length === 0 &&
  results.every(({ findings }) => findings.failures.length === 0) &&
  controls.every(failedAsItShould)
say(well ? 'every promise was kept, and every control failed as it should' : 'not as it should be')
process.exit(well ? 0 : 1)
