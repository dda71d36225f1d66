import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { published } from '../../../src/tools/publishing/catalogue.ts'
import { readContracts } from '../../../src/tools/publishing/read-contracts.ts'
import { schemaDocument } from '../../../src/tools/publishing/schemas.ts'
import { arbitraryOf } from '../../support/arbitraries.ts'
import { mutationsOf } from './mutations.ts'
import { validatorOf } from './validators.ts'

const partOf = await readContracts()

const isHuge = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value)

/** Codecs never see huge integers of a request as numbers: see leaves.test.ts. */
const withoutHuge = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (isHuge(each) ? 0 : each))

const truth = suite('published schemas are true')

for (const entry of published) {
  const { name, codec, asRequest } = entry
  const accepts = validatorOf(schemaDocument(entry, partOf))
  const mutations = mutationsOf(arbitraryOf(codec))
  const mutated = asRequest ? mutations.map(withoutHuge) : mutations
  const decodes = (value: unknown) => E.isRight(codec.decode(value))

  truth(`${name} accepts every value that its codec accepts`, () => {
    fc.assert(
      fc.property(arbitraryOf(codec), (value) => {
        assert.ok(decodes(value))
        assert.ok(accepts(value), JSON.stringify(accepts.errors))
      }),
      { numRuns: 50 },
    )
  })

  truth(`${name} accepts or refuses a changed value as its codec does`, () => {
    fc.assert(
      fc.property(mutated, (value) => {
        assert.is(accepts(value), decodes(value))
      }),
      { numRuns: 300 },
    )
  })
}

truth.run()
