import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { UnrepresentableNumber } from '../../../contracts/wire.ts'
import { type JsonProblem, readJson } from '../../../src/bridge/domain/read-json.ts'
import { exactJson, jsonValue } from '../../support/json.ts'

const read = (text: string) => readJson(Buffer.from(text))
const problem = (cause: JsonProblem['cause'], expected: string, path = '') => E.left({ cause, path, expected })
const json = suite('json')

json('any JSON value is read as JSON.parse reads it, with any white space', () => {
  fc.assert(
    fc.property(jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      deepStrictEqual(read(JSON.stringify(value, null, indent)), E.right(exactJson(value)))
    }),
  )
})

json('any text that is not JSON is refused without an exception', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0019eE.-+ \n', 'true', '"a"', '{"a":1}') }), (text) => {
      const parsed = E.tryCatch(
        () => JSON.parse(text),
        () => undefined,
      )
      if (E.isLeft(parsed)) assert.equal(read(text), problem('not-json', 'JSON'))
      else assert.ok(E.isRight(read(text)) || text.includes('":'))
    }),
  )
})

const escaped = (key: string) =>
  `"${[...key].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
const wraps = [
  (inner: string) => `[1,${inner}]`,
  (inner: string) => `{"other":${inner},"more":[]}`,
  (inner: string) => `{"text":"\\\\\\"{[:","in":${inner}}`,
]

json('a repeated key of an object is found anywhere, even with escape sequences', () => {
  const key = fc.stringMatching(/^[\w:{}",[\]]{0,12}$/)
  const wrappers = fc.array(fc.constantFrom(...wraps), { maxLength: 20 })
  fc.assert(
    fc.property(key, wrappers, fc.boolean(), (name, around, spelt) => {
      const again = spelt ? escaped(name) : JSON.stringify(name)
      const text = around.reduce(
        (inner, wrap) => wrap(inner),
        `{"a0":{},${JSON.stringify(name)} : 1,"b0":[{}],${again}:2}`,
      )
      assert.equal(read(text), problem('repeated-key', 'one value, not several', name))
    }),
  )
})

json('the same key in different objects is not repeated', () => {
  const text = '{"id":1,"a":{"id":2},"b":[{"id":3},{"id":4}],"__proto__":{"id":5}}'
  deepStrictEqual(read(text), E.right(JSON.parse(text)))
})

json('integers beyond 2^53 are their decimal text; numbers beyond all doubles keep their digits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (n) => {
      const safe = Number.isSafeInteger(Number(n))
      assert.equal(read(`{"id": ${n}}`), E.right({ id: safe ? Number(n) : String(n) }))
    }),
  )
  assert.equal(
    read('[1e400, 1.5, 1e3, 0.12345678901234568]'),
    E.right([new UnrepresentableNumber('1e400'), 1.5, 1000, 0.12345678901234568]),
  )
  assert.equal(
    read('[-1e400,-9007199254740993,9007199254740991,-0,1e20]'),
    E.right([new UnrepresentableNumber('-1e400'), '-9007199254740993', 9007199254740991, -0, 1e20]),
  )
  for (const fraction of [
    '1e-400',
    '-1e-400',
    '0.1e-330',
    '1.00000000000000000001',
    '9007199254740990.6',
    '10.5e-1000',
  ])
    assert.equal(read(`[${fraction}]`), E.right([new UnrepresentableNumber(fraction)]), fraction)
  for (const whole of ['1.0', '10e-1', '1.50e1', '0e-400', '0.0', '-0.0', '100e-2', '1e5', '2.5', '1e-5', '12.50E+2'])
    assert.equal(read(`[${whole}]`), E.right([Number(whole)]), whole)
  assert.equal(read('{"text":"12345678901234567890"}'), E.right({ text: '12345678901234567890' }))
})

json('a fraction of many zeros takes no time that grows with their square', () => {
  const fraction = `0.${'0'.repeat(3_000_000)}1`
  assert.equal(read(`[${fraction}]`), E.right([new UnrepresentableNumber(fraction)]))
})

json('32 levels are read, 33 are refused, and a million do no harm', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  assert.ok(E.isRight(read(nested(32))))
  assert.ok(E.isRight(read(`{"text":"${'['.repeat(1000)}"}`)))
  for (const levels of [33, 1_000_000])
    assert.equal(read(nested(levels)), problem('too-deep', 'JSON nested at most 32 deep'))
  assert.equal(read('{"a":'.repeat(500_000)), problem('too-deep', 'JSON nested at most 32 deep'))
})

json('options: another limit of nesting, and numbers as JSON.parse reads them', () => {
  const rules = { deepest: 64, exact: false }
  const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels))
  assert.ok(E.isRight(readJson(nested(64), rules)))
  for (const levels of [65, 1_000_000])
    assert.equal(readJson(nested(levels), rules), problem('too-deep', 'JSON nested at most 64 deep'))
  assert.equal(readJson(Buffer.from('[9007199254740993,1e400]'), rules), E.right([9007199254740992, Infinity]))
})

json('text that is not UTF-8 is refused', () => {
  assert.equal(readJson(Buffer.from([0x22, 0xff, 0x22])), problem('not-utf8', 'valid UTF-8'))
  assert.equal(readJson(Buffer.from('')), problem('not-json', 'JSON'))
})

json('a field named __proto__ is an ordinary field', () => {
  const value = read('{"__proto__":{"polluted":true}}')
  assert.is(JSON.stringify(value), JSON.stringify(E.right(JSON.parse('{"__proto__":{"polluted":true}}'))))
  assert.is('polluted' in {}, false)
})

json.run()
