import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { samples } from '../../../support/samples.ts'
import { mutationsOf } from '../../../tools/publishing/mutations.ts'

/** A request of a sender who is malicious, or who makes a mistake. */
export type Hostile = {
  readonly api: 'webhooks' | 'bot'
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly token: 'known' | 'unknown'
}

const json = { 'content-type': 'application/json' }
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Members to insert into an object beside its own fields. */
const intruders = fc.oneof(
  fc.constantFrom(
    '"__proto__":{"chat_id":1}',
    '"constructor":{"prototype":{"x":1}}',
    '"toString":null,"hasOwnProperty":1',
    '"event_name":"chat_accepted"',
    '"event":"CLIENT_MESSAGE"',
    '"x":1e999',
    '"x":-0.0e-999',
    `"x":${'9'.repeat(400)}`,
    '"x":"\\ud800"',
    '"\\udfff":"\\u0000"',
    '"$where":"1","a.b":{"$gt":""}',
    '"chat_id":9007199254740993',
    `"x":"${'x'.repeat(20_000)}"`,
    `"x":{${Array.from({ length: 2_000 }, (_, i) => `"k${i}":${i}`).join()}}`,
  ),
  fc.constantFrom(31, 32, 33, 1_000, 100_000).map((depth) => `"x":${nested(depth)}`),
)

/** The text with a member inserted into the object that begins at its n-th brace. */
const intruded = (text: string, intruder: string, n: number) => {
  const places = [...text.matchAll(/\{/g)].map(({ index }) => index + 1)
  const at = places[n % Math.max(1, places.length)] ?? 0
  const rest = text.slice(at)
  return `${text.slice(0, at)}${intruder}${/^\s*\}/.test(rest) ? '' : ','}${rest}`
}

const wrongBytes = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x00], [0xef, 0xbb, 0xbf]]

const withBytes = (bytes: Buffer, wrong: ReadonlyArray<number>, n: number) => {
  const at = n % (bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(wrong), bytes.subarray(at)])
}

const asSent = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '')

const bodiesOf = (api: 'webhooks' | 'bot-api'): fc.Arbitrary<Buffer> => {
  const kinds = ['accepted', 'refused', 'unknown'] as const
  const all = kinds.flatMap((kind) => samples(api, kind))
  const text = fc.constantFrom(...all.map((sample) => sample.text))
  const mutated = mutationsOf(fc.constantFrom(...all.map(({ value }) => value))).map(asSent)
  return fc.oneof(
    { weight: 6, arbitrary: mutated },
    { weight: 3, arbitrary: fc.tuple(text, intruders, fc.nat()).map((args) => Buffer.from(intruded(...args))) },
    {
      weight: 2,
      arbitrary: fc.tuple(text, fc.nat()).map(([whole, n]) => Buffer.from(whole).subarray(0, n % whole.length)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(text, fc.constantFrom(...wrongBytes), fc.nat())
        .map(([whole, wrong, n]) => withBytes(Buffer.from(whole), wrong, n)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 4 }).map((each) => Buffer.from(each)) },
  )
}

const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '))
const tooLarge = Buffer.alloc(8 * 1024 * 1024 + 1, ' ')

const headers = fc.oneof(
  { weight: 40, arbitrary: fc.constant(json) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/jsonp; charset=utf-8' },
      { ...json, 'content-encoding': 'deflate' },
      { ...json, 'content-encoding': 'gzip, gzip' },
    ),
  },
)

/** Mostly mutated samples, and sometimes a bomb, a body that is too large, or an unknown token. */
export const hostile: fc.Arbitrary<Hostile> = fc.oneof(
  ...(['webhooks', 'bot'] as const).flatMap((api) => {
    const body = bodiesOf(api === 'bot' ? 'bot-api' : api)
    const token = fc.oneof(
      { weight: 40, arbitrary: fc.constant('known' as const) },
      { weight: 1, arbitrary: fc.constant('unknown' as const) },
    )
    const of = (whole: Buffer, more: object = {}) =>
      fc.constant<Hostile>({ api, body: whole, headers: { ...json, ...more }, token: 'known' })
    return [
      { weight: 500, arbitrary: fc.record({ api: fc.constant(api), body, headers, token }) },
      { weight: 1, arbitrary: of(bomb, { 'content-encoding': 'gzip' }) },
      { weight: 1, arbitrary: of(tooLarge) },
    ]
  }),
)
