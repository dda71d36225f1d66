import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Result } from '../run-jobs.ts'
import { type Goal, reached, verdictOf } from './goals.ts'
import { plots } from './plots.ts'
import { readme } from './readme.ts'
import { figureRows, goalRows } from './table.ts'
import { writeResults } from './write.ts'

const of = (who: string, metric: string, unit: string, values: ReadonlyArray<number>) => ({
  case: '64 connections',
  who,
  metric,
  unit,
  values,
})
const result: Result = {
  job: 'ingest',
  what: 'requests',
  at: '2026-01-31T10:00:00.000Z',
  tookSeconds: 60,
  loadBefore: 0.1,
  checks: [],
  bridge: { ingressProcesses: 1, startArgs: [] },
  measurements: [
    of('bridge', 'rate', 'requests/s', [900, 1200, 1100]),
    of('Camel', 'rate', 'requests/s', [1000, 1000, 1000]),
    of('bridge', 'p99', 'ms', [10, 12, 11]),
  ],
}
const goal: Goal = {
  job: 'ingest',
  text: 'against Camel',
  sense: 'at least',
  must: 0.9,
  aim: 1.2,
  of: { case: '64 connections', who: 'bridge', metric: 'rate' },
  against: { case: '64 connections', who: 'Camel', metric: 'rate' },
}

const report = suite('report of the benchmark')

report('a result is a ratio for each round, and is missing if the peer was not measured', () => {
  assert.equal(reached([result], goal), [0.9, 1.2, 1.1])
  assert.equal(reached([result], { ...goal, of: { ...goal.of, metric: 'p50' } }), [])
  assert.equal(reached([], goal), [])
})

report('a goal is an upper or a lower limit', () => {
  assert.is(verdictOf(goal, 1.2), 'reaches the aim')
  assert.is(verdictOf(goal, 1), 'reaches the must')
  assert.is(verdictOf(goal, 0.89), 'behind')
  assert.is(verdictOf({ ...goal, sense: 'at most', must: 2, aim: 1.3 }, 1.3), 'reaches the aim')
  assert.is(verdictOf({ ...goal, sense: 'at most', must: 2, aim: 1.3 }, 2.1), 'behind')
})

report('the table has the goals of the executed jobs, with must, aim, median and range', () => {
  const ceiling = 'Koa and io-ts, no Kafka'
  const measured = {
    ...result,
    measurements: [...result.measurements, of(ceiling, 'rate', 'requests/s', [1500, 1500, 1500])],
  }
  const [head, first, second, third, ...others] = goalRows([measured])
  assert.equal(head, ['job', 'must', 'aim', 'measured', 'spread', ''])
  assert.equal(first, ['ingest: p99 at 1,000 requests/s against Camel', '', '≤ 1.5', '–', '', 'not measured'])
  assert.equal(second, ['ingest: p99 at 2,000 requests/s against Camel', '', '≤ 1.5', '–', '', 'not measured'])
  assert.equal(third, [
    `ingest: requests/s at 64 connections against the ceiling (${ceiling})`,
    '≥ 0.6',
    '≥ 0.8',
    '0.733',
    '0.6 – 0.8',
    'reaches the must',
  ])
  assert.ok(others.every(([text = '']) => text.startsWith('ingest: ')))
})

report('figures have a line for each participant and a column for each metric', () => {
  assert.equal(figureRows(result), [
    ['case', 'who', 'rate, requests/s', 'p99, ms'],
    ['64 connections', 'bridge', '1,100 (900 – 1,200)', '11 (10 – 12)'],
    ['64 connections', 'Camel', '1,000 (1,000 – 1,000)', ''],
  ])
})

report('measured jobs have plots, and the page shows each plot', () => {
  const drawn = plots([result])
  assert.equal(
    drawn.map(({ file }) => file),
    ['ingest-rate.svg', 'ingest-p99.svg'],
  )
  for (const { svg } of drawn) assert.match(svg, /^<svg [\s\S]*>bridge<[\s\S]*<\/svg>\s*$/)
  const page = readme({ CPU: 'a CPU' }, [result], drawn)
  for (const { file } of drawn) assert.ok(page.includes(`](${file})`))
  assert.match(page, /a CPU/)
})

report('a job that was not measured keeps its old plots and its place on the page', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'livechat-bench-'))
  const read = (file: string) => readFile(join(dir, file), 'utf8')
  try {
    await writeResults(dir, {}, [result])
    await writeFile(join(dir, 'ingest-rate.svg'), 'as it was')
    await writeResults(dir, {}, [{ ...result, job: 'egress' }])
    assert.is(await read('ingest-rate.svg'), 'as it was')
    assert.match(await read('egress.svg'), /^<svg /)
    const page = await read('README.md')
    for (const file of ['ingest-rate.svg', 'egress.svg']) assert.ok(page.includes(`](${file})`))
  } finally {
    await rm(dir, { recursive: true })
  }
})

report.run()
