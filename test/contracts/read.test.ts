import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../contracts/events/index.ts'
import { exactShape, Id } from '../../contracts/primitives.ts'
import { strict } from '../../contracts/read.ts'
import { arbitraryOf } from '../support/arbitraries.ts'
import { mutationsOf } from '../tools/publishing/mutations.ts'

const house: ReadonlyArray<t.Mixed> = [...DomainEvent.types, DomainEvent]

const answerOf = (decode: (value: unknown) => t.Validation<unknown>, value: unknown) => {
  const decoded = decode(structuredClone(value))
  return E.isRight(decoded)
    ? { right: JSON.stringify(decoded.right) }
    : { left: decoded.left.map(({ context, message }) => [context.map(({ key }) => key), message]) }
}

const reading = suite('codecs that are read strictly')

for (const codec of house)
  reading(`${codec.name} reads every value as its codec does, in the same order of fields`, () => {
    const decode = strict(codec)
    fc.assert(
      fc.property(mutationsOf(arbitraryOf(codec)), (value) => {
        assert.equal(
          answerOf(decode, value),
          answerOf((given) => codec.decode(given), value),
        )
      }),
      { numRuns: 150 },
    )
  })

reading('an exact codec removes fields that it does not name', () => {
  const codec = exactShape({ id: Id }, { tag: t.string }, 'Exact')
  for (const decode of [strict(codec), (value: unknown) => codec.decode(value)])
    assert.is(
      JSON.stringify(decode({ a: 1, tag: 'x', b: 2, id: '7', c: 3 })),
      JSON.stringify(E.right({ tag: 'x', id: '7' })),
    )
})

reading('an inherited field is not an own field', () => {
  const codec = exactShape({ constructor: t.unknown }, { toString: t.string }, 'Inherits')

  for (const value of [{}, { constructor: 1 }, JSON.parse('{"constructor":1,"__proto__":{"toString":"x"}}')])
    assert.equal(answerOf(strict(codec), value), answerOf(codec.decode, value))
})

reading('a value that is not a plain object is decoded by the codec itself', () => {
  const codec = exactShape({}, { id: Id }, 'Anything')

  for (const value of [new Date(0), [], null, Object.create(null), new Map(), 'text'])
    assert.equal(
      answerOf(strict(codec), value),
      answerOf((given) => codec.decode(given), value),
    )
})

reading.run()
