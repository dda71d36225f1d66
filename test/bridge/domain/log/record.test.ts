import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { recordTime } from '../../../../src/bridge/domain/log/record.ts'

const test = suite('when a record was appended')

const cases: ReadonlyArray<readonly [string, number, string]> = [
  ['a valid time stays unchanged', 1769860800000, '2026-01-31T12:00:00.000Z'],
  ['a time before 1970 becomes 1970', -1, '1970-01-01T00:00:00.000Z'],
  ['a time after the year 9999 becomes its end', 8.64e15, '9999-12-31T23:59:59.999Z'],
  ['an infinite time too', Number.POSITIVE_INFINITY, '9999-12-31T23:59:59.999Z'],
  ['a value that is not a number becomes 1970', Number.NaN, '1970-01-01T00:00:00.000Z'],
]
for (const [name, timestamp, expected] of cases) test(name, () => assert.is(recordTime({ timestamp }), expected))

test.run()
