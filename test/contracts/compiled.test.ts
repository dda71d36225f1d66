import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as messages from '../../contracts/bot-api/inbound.ts'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import { Enrichment } from '../../contracts/commands/enrichment.ts'
import { compiled } from '../../contracts/compiled.ts'
import { DomainEvent } from '../../contracts/events/index.ts'
import { exactShape, Id, nullable, shape } from '../../contracts/primitives.ts'
import * as webhooks from '../../contracts/webhooks/events.ts'
import { WireId } from '../../contracts/wire.ts'
import { mutationsOf } from '../publishing/mutations.ts'
import { arbitraryOf } from '../support/arbitraries.ts'

const sent = [webhooks, messages].flatMap((codecs) => Object.values(codecs).filter((each) => each instanceof t.Type))
const house: ReadonlyArray<t.Mixed> = [...sent, ...DomainEvent.types, DomainEvent, BotReply, Enrichment]

const answerOf = (decode: (value: unknown) => t.Validation<unknown>, value: unknown) => {
  const decoded = decode(structuredClone(value))
  return E.isRight(decoded)
    ? { right: JSON.stringify(decoded.right) }
    : { left: decoded.left.map(({ context, message }) => [context.map(({ key }) => key), message]) }
}

const compiledCodecs = suite('compiled codecs')

for (const codec of house)
  compiledCodecs(`${codec.name} reads every value as its codec does, in the same order of fields`, () => {
    const decode = compiled(codec)
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

const decodedBoth = <A>(codec: t.Type<A, unknown>, value: unknown) => [compiled(codec)(value), codec.decode(value)]

compiledCodecs('a value that needs no change is returned unchanged, and is never modified', () => {
  const codec = shape({ id: WireId, tags: t.array(WireId) }, { note: nullable(t.string) }, 'It')
  const right = Object.freeze({ id: '1', tags: Object.freeze(['2']), more: 3 })
  const toChange = Object.freeze({ more: 3, id: 1, tags: Object.freeze(['2', 2]), note: null })

  assert.ok(decodedBoth(codec, right).every((decoded) => E.isRight(decoded) && Object.is(decoded.right, right)))
  for (const decoded of decodedBoth(codec, toChange))
    assert.equal(decoded, E.right({ more: 3, id: '1', tags: ['2', '2'], note: null }))
})

compiledCodecs('an exact codec removes fields that it does not name, before and after a change', () => {
  const codec = exactShape({ id: WireId }, { tag: t.string }, 'Exact')

  for (const decoded of decodedBoth(codec, { a: 1, tag: 'x', b: 2, id: 7, c: 3 }))
    assert.is(JSON.stringify(decoded), JSON.stringify(E.right({ tag: 'x', id: '7' })))
})

compiledCodecs('an inherited field is not an own field', () => {
  const codec = shape({ constructor: t.unknown }, { toString: t.string }, 'Inherits')

  for (const value of [{}, { constructor: 1 }, JSON.parse('{"constructor":1,"__proto__":{"toString":"x"}}')])
    assert.equal(answerOf(compiled(codec), value), answerOf(codec.decode, value))
})

compiledCodecs('a value that is not a plain object is decoded by the codec itself', () => {
  const codec = exactShape({}, { id: Id }, 'Anything')

  for (const value of [new Date(0), [], null, Object.create(null), new Map(), 'text'])
    assert.equal(
      answerOf(compiled(codec), value),
      answerOf((given) => codec.decode(given), value),
    )
})

compiledCodecs.run()
