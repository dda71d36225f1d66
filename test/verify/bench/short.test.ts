import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from './jobs/index.ts'
import { runJobs } from './run-jobs.ts'
import { short } from './size.ts'

// Starts with the first test only, so that the servers do not run beside the tests of other files.
let started: ReturnType<typeof runJobs> | undefined
const run = () => {
  started ??= runJobs(jobs, {
    size: short,
    javaPeers: false,
    say: () => {},
    bridge: { ingressProcesses: 1, startArgs: [] },
  })
  return started
}

const bench = suite('benchmark, short run')

for (const { name, what } of jobs)
  bench(`${name} (${what}): nothing is lost, and each figure is measured`, async () => {
    const { results, failures } = await run()
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
