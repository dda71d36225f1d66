import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describe, problemsIn } from '../../contracts/problem.ts'

const problems = suite('problems as text')

const expected = fc.constantFrom('text', 'an integer or text', 'one value, not several', 'at most 12: it is a day')

problems('have the same paths and expectations after they are read again', () => {
  const path = fc.constantFrom('', 'id', 'page.url', 'visitor.0.name')
  fc.assert(
    fc.property(fc.array(fc.record({ path, expected }, { noNullPrototype: true })), (given) => {
      assert.equal(problemsIn(describe(given)), given)
      assert.equal(problemsIn(describe(given, 'value')), given)
    }),
  )
})

problems('are as many as were written, and expect the same, whatever key a sender has made up', () => {
  const piece = fc.constantFrom(': expected Jane', '; ', ':', ';', ' ', '%', 'text', '.', '\n')
  const path = fc.oneof(
    fc.string(),
    fc.array(piece).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(fc.array(fc.record({ path, expected })), (given) => {
      assert.equal(
        problemsIn(describe(given)).map((each) => each.expected),
        given.map((each) => each.expected),
      )
    }),
    { numRuns: 1_000 },
  )
})

problems('leave out what was cut off, so that half of a path is no expectation', () => {
  const text = describe([
    { path: 'id', expected: 'text' },
    { path: 'Jane Doe', expected: 'nothing' },
  ])
  assert.equal(problemsIn(text.slice(0, text.indexOf('Doe'))), [{ path: 'id', expected: 'text' }])
})

problems.run()
