import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Cluster, startCluster } from './cluster.ts'
import { runScenario } from './run-scenario.ts'
import { scenarios } from './scenarios/index.ts'
import { failedAsItShould } from './table.ts'

// Starts with the first test only, so that the servers do not run beside the tests of other files.
let started: Promise<Cluster> | undefined
const cluster = () => {
  started ??= startCluster()
  return started
}

const faults = suite('faults, in short')

faults.after(async () => {
  await (await started)?.stop()
})

for (const scenario of scenarios.filter(({ inShort }) => inShort)) {
  const { name, promises, fault } = scenario
  faults(`${name}: promise ${promises} is kept (${fault})`, async () => {
    const { failures, skipped } = await runScenario(await cluster(), scenario, 'short')
    if (skipped !== undefined) console.log(`${name}: skipped, ${skipped}`)
    assert.equal(failures, [])
  })
  for (const without of scenario.shortControls)
    faults(`${name}: promise ${promises} is broken without this: ${without}`, async () => {
      const findings = await runScenario(await cluster(), scenario, 'short', without)
      assert.ok(findings.skipped !== undefined || failedAsItShould({ scenario, without, findings }))
    })
}

faults.run()
