import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { faultOf, isFault } from '../../../src/bridge/shared/fault.ts'

const fault = suite('where an unforeseen error happened')

const thrownBy = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

const secret = 'Anna Schmidt, +49 170 5550123'
const here = /^(\w+(?: [A-Z_]+)?) at (?:test\/bridge\/shared\/fault\.test\.ts:\d+:\d+(?:, )?)+$/

fault('it is its name and places in this project', () => {
  assert.match(faultOf(thrownBy(() => Reflect.get(Object(undefined), 'a').b)), here)
  assert.match(faultOf(thrownBy(() => JSON.parse('{"a"'))), here)
  assert.match(faultOf(Object.assign(new Error('no such file'), { code: 'ENOENT' })), here)
})

fault('there are five places at most, the innermost first', () => {
  const deep = (n: number): number => (n === 0 ? Reflect.get(Object(undefined), 'a').b : deep(n - 1) + 1)
  assert.is(faultOf(thrownBy(() => deep(20))).split(', ').length, 5)
})

class Named extends Error {
  constructor(name: string) {
    super('')
    this.name = name
  }
}

/** Errors whose texts hold what a person wrote, in each place that an error has for texts. */
const telling: ReadonlyArray<readonly [string, unknown]> = [
  ['a message', new Error(secret)],
  ['a message of the runtime', thrownBy(() => JSON.parse(secret))],
  ['a message of several lines', new Error(`no\n${secret}\nend`)],
  ['a message like a stack', new Error(`no\n    at ${secret} (${import.meta.filename}:1:1)\n    at ${secret}`)],
  ['a name', new Named(secret)],
  ['a name of several lines', new Named(`a\n    at ${secret}`)],
  ['a code', Object.assign(new Error(''), { code: secret })],
  ['a cause', new Error('', { cause: new Error(secret) })],
  ['a cause that is text', new Error('', { cause: secret })],
  ['errors of several', new AggregateError([new Error(secret)], secret)],
  ['a message that was changed', Object.assign(new Error(`a\nb\n    at ${secret}`), { message: secret })],
  ['a stack that was changed', Object.assign(new Error(''), { stack: `Error\n    at ${secret}` })],
  ['the name of a function', thrownBy(() => ({ [secret]: () => Reflect.get(Object(undefined), 'a').b })[secret]?.())],
  ['text that is thrown', secret],
]
for (const [where, error] of telling)
  fault(`${where} is not repeated`, () => {
    const told = faultOf(error)
    for (const word of ['Anna', 'Schmidt', '5550123']) assert.not.match(told, word)
    assert.ok(told.length < 1000)
    assert.ok(isFault(told) || typeof error === 'string')
    assert.not.ok(isFault(secret))
  })

fault('causes follow, without end three of them', () => {
  const endless: Error & { cause?: unknown } = new RangeError('a')
  endless.cause = endless
  assert.is(faultOf(endless).split('; because of RangeError').length, 3)
})

fault.run()
