import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { reasonOf } from '../../../src/bridge/shared/fault.ts'

const test = suite('the reason of an error')
const personal = 'E11000 duplicate key: { email: "ada@example.com" }'

const named = (name: string, fields: object = {}) => Object.assign(new Error(personal), { name, ...fields })

const parsed = () => {
  try {
    return JSON.parse(personal)
  } catch (error) {
    return error
  }
}

const rows: ReadonlyArray<readonly [name: string, given: unknown, then: RegExp]> = [
  ['an error of the bridge itself shows its message', new Error('the topic is away'), /^the topic is away$/],
  ["a driver's error shows its name", named('MongoServerError'), /^MongoServerError/],
  ['an error with a code shows the code', named('Error', { code: 'ECONNREFUSED' }), /^Error ECONNREFUSED/],
  ['an error of a parser does not quote its text', parsed(), /^SyntaxError/],
  ['what is no error does not show its text', personal, /^thrown: string$/],
]
for (const [name, given, then] of rows)
  test(name, () => {
    assert.match(reasonOf(given), then)
    assert.not.match(reasonOf(given), 'ada@example.com')
  })

test.run()
