import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { docstringsOf } from '../../../src/tools/publishing/docstrings.ts'

const docstrings = suite('docstrings')

docstrings('are the comments directly above an exported constant, with joined lines and kept paragraphs', () => {
  const source = `
/** Not exported. */
const hidden = 1
/** One line. */
export const One = 1
export const None = 1

/**
 * Two lines,
 * one paragraph.
 *
 * And \`another\`.
 */
export const Two = 2
/** Of a type. */
export type Three = 3
`
  assert.equal(
    [...docstringsOf(source)],
    [
      ['One', 'One line.'],
      ['Two', 'Two lines, one paragraph.\n\nAnd `another`.'],
    ],
  )
})

docstrings.run()
