import { parseArgs } from 'node:util'
import { type Cluster, startCluster } from './cluster.ts'
import { runScenario } from './run-scenario.ts'
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
const unknown = values.only.filter((only) => scenarios.every(({ name }) => name !== only))
if (unknown.length > 0) {
  console.error(`No such scenario: ${unknown.join(', ')}. There are ${scenarios.map(({ name }) => name).join(', ')}.`)
  process.exit(1)
}
const began = performance.now()
const seconds = () => ((performance.now() - began) / 1000).toFixed(0).padStart(5)
const say = (text: string) => console.log(`${seconds()} s  ${text}`)

const clusters: Cluster[] = []
const onCluster = async (work: (cluster: Cluster) => Promise<void>) => {
  const cluster = await startCluster()
  clusters.push(cluster)
  await work(cluster)
  await cluster.stop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await Promise.all(clusters.map(({ stop }) => stop()))
    process.exit(1)
  })

const results: Result[] = []
const controls: Control[] = []
const unsound: string[] = []
const runFailed = (name: string, error: unknown) => {
  unsound.push(name)
  say(`✘ ${name}: the run itself failed: ${error instanceof Error ? error.stack : error}`)
}

const keep = async (cluster: Cluster) => {
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

const control = async (cluster: Cluster) => {
  for (const scenario of chosen)
    for (const without of scenario.controls) {
      const name = `${scenario.name} without this: ${without}`
      const findings = await runScenario(cluster, scenario, 'short', without).catch((error: Error) => error)
      controls.push({ scenario, without, findings })
      console.log(controlsOf([{ scenario, without, findings }]).split('\n').at(-1))
      if (findings instanceof Error) runFailed(name, findings)
      else if (failedAsItShould({ scenario, without, findings })) say(`✓ ${name}: failed as it should`)
      else say(`✘ ${name}: did not fail`)
    }
}

// Two clusters beside each other: what is done to the servers of the one does not reach the other.
await Promise.all([
  ...(values.controls === 'only' ? [] : [onCluster(keep)]),
  ...(values.controls === 'no' ? [] : [onCluster(control)]),
])

console.log(`\n${tableOf(results)}\n\n${notesOf(results)}\n\n${controlsOf(controls)}\n`)
const well =
  unsound.length === 0 &&
  results.every(({ findings }) => findings.failures.length === 0) &&
  controls.every((each) => failedAsItShould(each))
const total = results.reduce((sum, { findings }) => sum + findings.accepted, 0).toLocaleString('en')
say(`${total} events accepted; ${well ? 'promises kept, controls failed as they should' : 'NOT as it should be'}`)
process.exit(well ? 0 : 1)
