import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startCluster } from './cluster.ts'
import { runScenario } from './run-scenario.ts'
import { scenarios } from './scenarios/index.ts'
import { failedAsItShould } from './table.ts'

const cluster = await startCluster()
const faults = suite('faults, in short')

faults.after(() => cluster.stop())

for (const scenario of scenarios.filter(({ inShort }) => inShort)) {
  const { name, promises, fault } = scenario
  faults(`${name}: promise ${promises} is kept (${fault})`, async () => {
    const { failures, skipped } = await runScenario(cluster, scenario, 'short')
    if (skipped !== undefined) console.log(`${name}: skipped, ${skipped}`)
    assert.equal(failures, [])
  })
  for (const without of scenario.shortControls)
    faults(`${name}: promise ${promises} is broken without this: ${without}`, async () => {
      const findings = await runScenario(cluster, scenario, 'short', without)
      assert.ok(findings.skipped !== undefined || failedAsItShould({ scenario, without, findings }))
    })
}

faults.run()
