import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { longestMarkdown, plainText, unsupportedMarkdown } from '../../../src/bridge/adapters/markdown.ts'

const test = suite('plain text of Markdown')

const cases: ReadonlyArray<[string, string]> = [
  ['**bold** and *italic* and __bold__ and _italic_', 'bold and italic and bold and italic'],
  ['***both*** and *a **b** c*', 'both and a b c'],
  ['[text](https://a.b "title") and [**bold**](https://a.b)', 'text and bold'],
  ['<https://a.b> and <me@a.b>', 'https://a.b and me@a.b'],
  ['5 * 3 * 2, snake_case_name, a * b', '5 * 3 * 2, snake_case_name, a * b'],
  ['**not closed, *nor this', '**not closed, *nor this'],
  ['\\*kept\\* *taken*', '*kept* taken'],
  ['two  \nlines &amp; more', 'two\nlines & more'],
  ['**two\nlines**\n\n*a paragraph\n\nends it*', 'two\nlines\n\n*a paragraph\n\nends it*'],
]
for (const [markdown, expected] of cases) test(JSON.stringify(markdown), () => assert.is(plainText(markdown), expected))

test('text without markup stays unchanged', () => {
  const words = fc.stringMatching(/^\p{L}[\p{L}\d ,;:?!'"+=%$-]*[\p{L}\d?!]$/u)
  fc.assert(fc.property(words, (text) => assert.is(plainText(text), text)))
})

test('bold and italic text is kept', () => {
  const word = fc.stringMatching(/^[\p{L}\d]{1,9}$/u)
  const mark = fc.constantFrom('*', '**', '***', '_', '__', '___')
  fc.assert(
    fc.property(word, mark, word, (before, around, within) =>
      assert.is(plainText(`${before} ${around}${within}${around}.`), `${before} ${within}.`),
    ),
  )
})

const hostile = [
  '~a ',
  '`a``',
  '<a b="',
  '](a ',
  '[a[b]',
  '*a ',
  '_a',
  '![',
  'a_*',
  '<!--',
  '- | ',
  '> - ',
  '1. ',
  '[a][',
]
for (const part of hostile)
  test(`${JSON.stringify(part)} repeated to the size limit is read quickly, and longer text is not read`, () => {
    const content = part.repeat(longestMarkdown / part.length)
    assert.type(plainText(content), 'string')
    assert.ok(Array.isArray(unsupportedMarkdown(content)))
    const long = part.repeat(1_000_000 / part.length)
    assert.equal([plainText(long), unsupportedMarkdown(long)], [long, ['more than 4096 characters']])
  })

test.run()
