import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { counted, runTests, stopwatch, together } from './outcome.ts'

const sum = (total: number, passed: number) =>
  `  Total:     ${total}\n  Passed:    ${passed}\n  Skipped:   0\n  Duration:  1.00ms\n`

const oneOfTwo = `\u001b[1ma/b.test.ts\u001b[22m
 suite • ✘   (1 / 2)

   FAIL  suite  "name of the test"
    Property failed after 2 tests
{ seed: 1, path: "0" }
    at Object.handler (a/b.test.ts:3:4)


   FAIL  suite  "another"
    no
    at b.test.ts


c.test.ts
 next • •   (2 / 2)

${sum(4, 2)}`

test('the report of each failure is kept completely, without the lines after it', () => {
  const { failures, passed, failed, skipped } = counted(oneOfTwo, 1)
  assert.equal([passed, failed, skipped], [2, 2, 0])
  assert.equal(failures, [
    '   FAIL  suite  "name of the test"\n    Property failed after 2 tests\n{ seed: 1, path: "0" }\n    at Object.handler (a/b.test.ts:3:4)',
    '   FAIL  suite  "another"\n    no\n    at b.test.ts',
  ])
})

test('a run without a sum has failed, and a run with a failing exit code too', () => {
  for (const [output, code] of [
    ['a.test.ts\n suite • ', 0],
    [sum(2, 2), 7],
  ] as const) {
    const { failed, failures } = counted(output, code)
    assert.is(failed, 1)
    assert.match(failures[0] ?? '', /FAIL {2}uvu ended with/)
  }
})

test('the report of a crashed run has the signal and the last lines of stderr', () => {
  const [failure = ''] = counted('a.test.ts\n suite • ', 'SIGSEGV', 'Error: why\n    at somewhere').failures
  assert.match(failure, /^ {3}FAIL {2}uvu ended with SIGSEGV before it printed its sum. Last output:\na\.test\.ts/)
  assert.match(failure, /Error: why\n {4}at somewhere$/)
})

test('outcomes are summed with their failures', () => {
  assert.equal(together([counted(sum(2, 2), 0), counted(oneOfTwo, 1)]).failed, 2)
  assert.is(together([counted(oneOfTwo, 1), counted(oneOfTwo, 1)]).failures.length, 4)
})

/** The times of files after these outputs, with 10 ms before and after each. */
const timesAfter = (...outputs: ReadonlyArray<string>) => {
  let time = 0
  const { onOutput, files } = stopwatch(() => time)
  for (const text of outputs) {
    time += 10
    onOutput(text)
  }
  time += 10
  return files()
}

test('the time of each file ends when the next file starts, or at the end of the run', () => {
  assert.equal(timesAfter('\u001b[1ma/b.test.ts\u001b[22m\n', ' suite • (1 / 1)\n\nc.test.ts\n', ' next •'), [
    { file: 'loading of a/b.test.ts and 1 others', ms: 10 },
    { file: 'a/b.test.ts', ms: 10 },
    { file: 'c.test.ts', ms: 20 },
  ])
})

test('the time of a file that runs alone begins before its tests, with what it starts at its top', () => {
  assert.equal(timesAfter('loading', 'a.test.ts\n suite •'), [{ file: 'a.test.ts', ms: 30 }])
  assert.equal(timesAfter('loading'), [])
})

test('tests that pass but leave something open are ended, and the report names it', async () => {
  const limits = { allMs: 60_000, endMs: 100 }
  const { passed, failed, failures } = await runTests('support/leaky\\.ts', process.env, 'not', limits)
  assert.equal([passed, failed], [1, 1])
  assert.match(
    failures[0] ?? '',
    /have ended, but their process was still running.*\n(.*\n)* *server at \{"address":"127/,
  )
})

test.run()
