import { parseArgs } from 'node:util'
import { runScenario } from '../faults/run-scenario.ts'
import type { Size } from '../faults/scenario.ts'
import { type Control, controlsOf, failedAsItShould, notesOf, type Result, tableOf } from '../faults/table.ts'
import { scenarios } from './scenarios/index.ts'
import { startThree } from './three.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    controls: { type: 'string', default: 'yes' },
  },
})
const size: Size = values.short ? 'short' : 'long'
const chosen = scenarios.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
const began = performance.now()
const say = (text: string) => console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`)

const cluster = await startThree()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await cluster.stop()
    process.exit(1)
  })
say('three brokers and a replica set of three are up')

const results: Result[] = []
const controls: Control[] = []
const unsound: string[] = []
const runFailed = (name: string, error: unknown) => {
  unsound.push(name)
  say(`✘ ${name}: the run itself failed: ${error instanceof Error ? error.stack : error}`)
}

const keep = async () => {
  for (const scenario of chosen) {
    const { name, fault } = scenario
    say(`  ${name}: ${fault}`)
    try {
      const findings = await runScenario(cluster, scenario, size)
      results.push({ scenario, findings })
      console.log(`${tableOf([{ scenario, findings }]).split('\n').at(-1)}\n${notesOf([{ scenario, findings }])}`)
      say(findings.failures.length === 0 ? `✓ ${name}: kept` : `✘ ${name}: ${findings.failures.join('; ')}`)
    } catch (error) {
      runFailed(name, error)
    }
  }
}
const control = async () => {
  for (const scenario of chosen)
    for (const without of scenario.controls) {
      const name = `${scenario.name} without this: ${without}`
      const findings = await runScenario(cluster, scenario, 'short', without).catch((error: Error) => error)
      controls.push({ scenario, without, findings })
      if (findings instanceof Error) runFailed(name, findings)
      else if (failedAsItShould({ scenario, without, findings }))
        say(`✓ ${name}: failed as it should, ${findings.failures.join('; ')}`)
      else say(`✘ ${name}: did not fail`)
    }
}
if (values.controls !== 'only') await keep()
if (values.controls !== 'no') await control()
await cluster.stop()

console.log(`\n${tableOf(results)}\n\n${notesOf(results)}\n\n${controlsOf(controls)}\n`)
const well =
  unsound.length === 0 &&
  results.every(({ findings }) => findings.failures.length === 0) &&
  controls.every((each) => failedAsItShould(each))
const total = results.reduce((sum, { findings }) => sum + findings.accepted, 0).toLocaleString('en')
say(`${total} events accepted; ${well ? 'promises kept, controls failed as they should' : 'NOT as it should be'}`)
process.exit(well ? 0 : 1)
