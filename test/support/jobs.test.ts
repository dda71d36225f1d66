import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobsOf } from './jobs.ts'
import { testsOf } from './outcome.ts'

const all = jobsOf('')

test('each test file is in one job: alone, or with all others of its folder', () => {
  const files = all.flat()
  assert.is(new Set(files).size, files.length)
  assert.ok(all.some((job) => job.join() === 'bridge/integration/archive.test.ts'))
  assert.equal(
    all.filter((job) => job.some((file) => file.startsWith('bridge/domain/'))),
    jobsOf('bridge/domain/'),
  )
  assert.is(jobsOf('bridge/domain/').length, 1)
})

test('jobs have only the files that both patterns match', () => {
  assert.equal(jobsOf('(?!.*integration/)', 'jobs\\.'), [['support/jobs.test.ts']])
  assert.equal(jobsOf('bridge/domain/', 'jobs\\.'), [])
})

test('what takes longest is first, then the longest sources', () => {
  const [first, second] = jobsOf('bridge/(?:integration/(?:samples|archive)|shared/)')
  assert.equal(
    [first?.join(), second?.join()],
    ['bridge/integration/archive.test.ts', 'bridge/integration/archive-generations.test.ts'],
  )
  assert.ok(
    all.findIndex(([file]) => file?.startsWith('bridge/views/')) <
      all.findIndex(([file]) => file?.startsWith('verify/scale/')),
  )
})

test('the pattern of a job matches its files only', () => {
  const pattern = new RegExp(testsOf(['a/b.test.ts']))
  const matched = ['a/b.test.ts', 'a/bxtest.ts', 'x/a/b.test.ts', 'a/b.test.tsx'].filter((file) => pattern.test(file))
  assert.equal(matched, ['a/b.test.ts'])
})

test.run()
