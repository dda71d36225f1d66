import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fewestDigits, mayBeSamePhone, phoneDigits } from '../../../../src/bridge/domain/person/phone.ts'

const phones = suite('phone numbers')

const mayBeSame: ReadonlyArray<readonly [string, string]> = [
  ['020 7946 0958', '+44 20 7946 0958'],
  ['020 7946 0958', '0044 20 7946 0958'],
  ['020 7946 0958', '442079460958'],
  ['(020) 7946-0958', '+44 (0)20 7946 0958'],
  ['2079460958', '020 7946 0958'],
  ['408-555-0123', '+1 (408) 555-0123'],
  ['408-555-0123', '14085550123'],
  ['8 (495) 123-45-67', '+7 495 1234567'],
  ['06 12345678', '+39 06 12345678'],
  ['712345', '+376 712345'],
]
for (const [one, other] of mayBeSame)
  phones(`${one} may be ${other}`, () =>
    assert.equal([mayBeSamePhone(one, other), mayBeSamePhone(other, one)], [true, true]),
  )

const others: ReadonlyArray<readonly [string, string, string]> = [
  ['+44 20 7946 0958', '+1 20 7946 0958', 'both name a country'],
  ['+20 7946 0958', '020 7946 0958', 'the shorter one names a country'],
  ['7946 0958', '+44 20 7946 0958', 'more is missing than the country'],
  ['55 0123', '+1 408 555 0123', 'more is missing than the country'],
  ['40 8555 0123', '+1 440 8555 0123', '14 is no country'],
  ['408-555-0123', '+28 408 555 0123', '28 is no country'],
  ['408-555-0124', '+1 408 555 0123', 'another number'],
  ['408-555-012', '+1 408 555 0123', 'the end is missing'],
  ['12345', '+44 12345', 'too short'],
  ['none', '+1', 'no number'],
  ['', '', 'no number'],
]
for (const [one, other, why] of others)
  phones(`${one || 'an empty text'} is not ${other || 'another'}: ${why}`, () =>
    assert.equal([mayBeSamePhone(one, other), mayBeSamePhone(other, one)], [false, false]),
  )

const digits = fc.stringMatching(/^[1-79][0-9]{6,9}$/)
const code = fc.constantFrom('1', '7', '20', '44', '49', '376', '420', '971')

phones('a number may be the same with the code of any country, or a 0, before it, and signs between', () => {
  fc.assert(
    fc.property(
      digits,
      code,
      fc.constantFrom('+', '00', ''),
      fc.constantFrom(' ', '-', ''),
      (number, of, sign, space) => {
        const spaced = [...number].join(space)
        assert.ok(mayBeSamePhone(`0${number}`, `${sign}${of}${space}${spaced}`))
        assert.ok(mayBeSamePhone(spaced, `${sign}${of}${number}`))
      },
    ),
  )
})

const anyNumber = fc.stringMatching(/^(\+|00|0)?[0-9]{5,13}$/)
const alike = fc
  .tuple(anyNumber, fc.constantFrom('', '0', '8', '1', '+44', '0049', '21'))
  .map(([number, before]) => [number, before + number.replace(/^[+0]+/, '')])

phones('no two numbers are taken for one that both name a country, or end in other digits', () => {
  let same = 0
  fc.assert(
    fc.property(fc.oneof(alike, fc.tuple(anyNumber, anyNumber)), ([one = '', other = '']) => {
      const is = mayBeSamePhone(one, other)
      assert.is(is, mayBeSamePhone(other, one))
      if (!is) return
      same += 1
      assert.not([one, other].every((it) => /^(\+|00)/.test(it)))
      assert.is(phoneDigits(one).slice(-fewestDigits), phoneDigits(other).slice(-fewestDigits))
      assert.is.not(phoneDigits(one), phoneDigits(other))
    }),
  )
  assert.ok(same > 0)
})

phones.run()
