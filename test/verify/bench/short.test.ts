import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from './jobs/index.ts'
import { runJobs } from './run-jobs.ts'
import { short } from './size.ts'

const { results, failures } = await runJobs(jobs, {
  size: short,
  javaPeers: false,
  say: () => {},
  bridge: { ingressProcesses: 1, startArgs: [] },
})

const bench = suite('benchmark, short run')

for (const { name, what } of jobs)
  bench(`${name} (${what}): nothing is lost, and each figure is measured`, () => {
    assert.equal(
      failures.filter(({ job }) => job === name),
      [],
    )
    const { measurements = [] } = results.find(({ job }) => job === name) ?? {}
    assert.ok(measurements.length > 0)
    assert.equal(
      measurements.filter(({ values }) => values.length === 0 || !values.every((value) => value >= 0)),
      [],
    )
  })

bench.run()
