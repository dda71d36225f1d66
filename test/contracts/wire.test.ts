import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { CommandTime, OffsetTime, Opaque, UnixTime, WireId, WireText } from '../../contracts/wire.ts'
import { right } from '../support/either.ts'

const read = <A>(codec: t.Decoder<unknown, A>, value: unknown) =>
  E.mapLeft((errors: t.Errors) => describe(problemsOf(errors)))(codec.decode(value))
const all = <A>(codec: t.Decoder<unknown, A>, values: ReadonlyArray<unknown>) =>
  values.map((value) => E.getOrElse<string, unknown>((problem) => problem)(read(codec, value)))

const wire = suite('wire')

wire('an id is its decimal text, sent as a number or as text', () => {
  assert.equal(all(WireId, [2037, '2037', 0, -1, '12345678901234567890']), [
    '2037',
    '2037',
    '0',
    '-1',
    '12345678901234567890',
  ])
  const wrong = [1.5, 2 ** 53, '', ' ', 'a\n', 'x'.repeat(256), null, undefined, {}, true]
  assert.equal(
    all(WireId, wrong),
    wrong.map(() => 'body: expected an integer or text'),
  )
})

wire('the same id is equal however it is sent', () => {
  fc.assert(fc.property(fc.maxSafeInteger(), (id) => right(WireId.decode(id)) === right(WireId.decode(String(id)))))
})

wire('text may be a number', () => {
  assert.equal(all(WireText, ['', 'a', 14085550142, 37.7749]), ['', 'a', '14085550142', '37.7749'])
  assert.equal(all(WireText, [null, true, {}]), ['body: expected text', 'body: expected text', 'body: expected text'])
})

wire('a unix time is in seconds or milliseconds, a number or text', () => {
  const same = [1665415879, '1665415879', 1665415879000, '1665415879000', '1665415879.0']
  assert.equal(
    all(UnixTime, same),
    same.map(() => '2022-10-10T15:31:19.000Z'),
  )
  assert.equal(all(UnixTime, [0, 1665415879.25, 1665415879123]), [
    '1970-01-01T00:00:00.000Z',
    '2022-10-10T15:31:19.250Z',
    '2022-10-10T15:31:19.123Z',
  ])
  const wrong = [-1, 1e15, '', 'soon', '0x10', '1e3', null, Number.NaN, Number.POSITIVE_INFINITY]
  assert.equal(
    all(UnixTime, wrong),
    wrong.map(() => 'body: expected unix time'),
  )
})

wire('any unix time of this century is its instant', () => {
  fc.assert(
    fc.property(fc.integer({ min: 946_684_800, max: 4_102_444_799 }), (seconds) => {
      const expected = new Date(seconds * 1000).toISOString()
      assert.equal(all(UnixTime, [seconds, seconds * 1000, String(seconds)]), [expected, expected, expected])
    }),
  )
})

wire('a time of others has any offset and is read in UTC', () => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ['2026-01-31T10:00:00+00:00', '2026-01-31T10:00:00Z'],
    ['2026-01-31T10:00:00.123456+02:00', '2026-01-31T08:00:00.123456Z'],
    ['2026-01-31T23:30:00-05:45', '2026-02-01T05:15:00Z'],
    ['2026-01-31 10:00:00z', '2026-01-31T10:00:00Z'],
    ['2026-01-31t10:00:00.1234567891-00:00', '2026-01-31T10:00:00.123456789Z'],
    ['2017-01-01T00:59:60.5+01:00', '2017-01-01T00:00:00Z'],
    ['2026-01-31T10:00:00.5Z', '2026-01-31T10:00:00.5Z'],
  ]
  const texts = rows.map(([text]) => text)
  const expected = rows.map(([, instant]) => instant)
  assert.equal(all(OffsetTime, texts), expected)
  assert.equal(all(CommandTime, texts), expected)
  const wrong = [
    '2026-02-30T10:00:00+02:00',
    '2026-01-31T10:00:00',
    '2026-01-31T10:00:00+2:00',
    '2026-01-31T10:00:00+24:00',
    '2026-01-31T10:00:60+00:00',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2026-01-31',
    'soon',
  ]
  assert.equal(
    all(OffsetTime, wrong),
    wrong.map(() => 'body: expected an RFC 3339 time'),
  )
})

wire('an opaque value is kept unchanged', () => {
  const given = { a: [1, { b: null }] }
  assert.is(right(Opaque.decode(given)), given)
  assert.equal(
    all(Opaque, ['', null, 7]),
    ['', null, 7].map(() => 'body: expected an object'),
  )
})

wire.run()
