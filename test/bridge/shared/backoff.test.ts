import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { backoff } from '../../../src/bridge/shared/backoff.ts'

const test = suite('backoff')
const bounds = { baseMs: 100, capMs: 5_000 }

const rows = [
  {
    name: 'the wait grows with the failures up to the cap, and its upper half is random',
    given: bounds,
    then: [
      [50, 100],
      [100, 200],
      [200, 400],
      [2_500, 5_000],
      [2_500, 5_000],
    ],
  },
  {
    name: 'with jitter 1 the whole wait is random',
    given: { ...bounds, jitter: 1 },
    then: [
      [0, 100],
      [0, 200],
      [0, 400],
      [0, 5_000],
      [0, 5_000],
    ],
  },
  {
    name: 'with jitter 0 nothing is random',
    given: { ...bounds, jitter: 0 },
    then: [
      [100, 100],
      [200, 200],
      [400, 400],
      [5_000, 5_000],
      [5_000, 5_000],
    ],
  },
]
for (const { name, given, then } of rows)
  test(name, () =>
    assert.equal(
      [1, 2, 3, 7, 1_000].map((failures) => [0, 1].map((random) => backoff(failures, given, () => random))),
      then,
    ),
  )

test.run()
