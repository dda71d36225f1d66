import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Buttons } from '../../../contracts/messages/buttons.ts'
import {
  AccountId,
  BsonDate,
  Count,
  Day,
  HttpUrl,
  Id,
  Instant,
  NonBlank,
  Ticket,
} from '../../../contracts/primitives.ts'
import { Digits } from '../../../contracts/records.ts'
import {
  CommandTime,
  OffsetTime,
  Opaque,
  UnixTime,
  WireBoolean,
  WireCount,
  WireId,
  WireText,
} from '../../../contracts/wire.ts'
import { leaves, leavesOfRequests } from '../../../src/tools/publishing/codecs.ts'
import { compile } from '../../../src/tools/publishing/json-schema.ts'
import { edges } from './mutations.ts'
import { validatorOf } from './validators.ts'

const nameless = () => undefined
const codecs: ReadonlyArray<t.Mixed> = [
  Instant,
  BsonDate,
  Day,
  Id,
  AccountId,
  NonBlank,
  Ticket,
  HttpUrl,
  Digits,
  Count,
  t.Int,
  WireId,
  WireBoolean,
  WireCount,
  WireText,
  UnixTime,
  CommandTime,
  OffsetTime,
  Opaque,
  Buttons,
]

const leafCodecs = suite('leaf codecs')

leafCodecs('the table has each leaf codec', () => {
  assert.equal(codecs.map(({ name }) => name).sort(), Object.keys(leaves).sort())
})

for (const codec of codecs) {
  leafCodecs(`${codec.name} and its schema agree on every boundary value`, () => {
    const accepts = validatorOf(compile([codec], nameless, '$defs').schemas[0] ?? {})
    assert.equal(
      edges.filter((value) => accepts(value)),
      edges.filter((value) => E.isRight(codec.decode(value))),
    )
  })
}

leafCodecs('in a request, the schema of WireId accepts integers of any size, which are read as their digits', () => {
  const inDigits = (value: unknown) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(Number(value)).toString() : value
  const accepts = validatorOf(compile([WireId], nameless, '$defs', { leaves: leavesOfRequests }).schemas[0] ?? {})
  assert.equal(
    edges.filter((value) => accepts(value)),
    edges.filter((value) => E.isRight(WireId.decode(inDigits(value)))),
  )
})

leafCodecs('a codec with its own check that is not in the table is an error', () => {
  const Odd = new t.Type<number, number, unknown>(
    'Odd',
    (u): u is number => typeof u === 'number' && u % 2 === 1,
    (u, context) => (typeof u === 'number' && u % 2 === 1 ? t.success(u) : t.failure(u, context)),
    t.identity,
  )
  assert.throws(() => compile([t.type({ odd: Odd })], nameless, '$defs'), /the codec Odd has no JSON Schema/)
})

leafCodecs.run()
