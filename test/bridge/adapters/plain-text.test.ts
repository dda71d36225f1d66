import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { longestMarkdown, markdown } from '../../../src/bridge/adapters/markdown.ts'

const plainText = (content: string) => markdown(content).plainText
const unsupportedMarkdown = (content: string) => markdown(content).unsupported

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
for (const [content, expected] of cases) test(JSON.stringify(content), () => assert.is(plainText(content), expected))

/** What the service cannot show, as models write it, and its plain text. */
const rich: ReadonlyArray<[string, string]> = [
  ['# Delivery\n\nIt takes **two** days.', 'Delivery\n\nIt takes two days.'],
  ['You need:\n\n- a *ticket*\n- a [map](https://a.b/map)', 'You need:\n\n- a ticket\n- a map (https://a.b/map)'],
  ['3. three\n4. four\n   - *a*\n   - b', '3. three\n4. four\n  - a\n  - b'],
  ['- one\n\n  more\n- [x] done', '- one\nmore\n- done'],
  ['| a | b |\n|--|--|\n| 1 | **2** |', 'a | b\n1 | 2'],
  ['Run `npm start`:\n\n```sh\nnpm start\n```', 'Run npm start:\n\nnpm start'],
  ['> quoted\n> words\n\nand mine', 'quoted\nwords\n\nand mine'],
  ['above\n\n---\n\nbelow', 'above\n\nbelow'],
  ['~~no~~ yes', 'no yes'],
  ['![a shoe](https://a.b/c.png)', 'a shoe (https://a.b/c.png)'],
  ['line<br/>break <b>bold</b> List<String> <!-- no -->', 'line\nbreak bold List<String> '],
  ['[shop][1]\n\n[1]: https://a.b', 'shop (https://a.b)'],
  ['# <https://a.b> and [me](mailto:me@a.b) and [no](javascript:alert)', 'https://a.b and me (mailto:me@a.b) and no'],
  ['a[^1]\n\n[^1]: b', 'a[1]\n\n[1] b'],
  ['---', '---'],
]
for (const [content, expected] of rich)
  test(`${JSON.stringify(content)} has no markup either`, () => assert.is(plainText(content), expected))

/** Links, and how the service gets them. */
const links: ReadonlyArray<[string, string]> = [
  ['[a](https://a.b), [b](HTTP://a.b), [c](mailto:me@a.b), [d](tel:+123), <me@a.b>, www.a.b', ''],
  ['See [**our** shop](javascript:alert(1)) or [b](https://a.b)', 'See **our** shop or [b](https://a.b)'],
  ['[a](/map), [b](#top "title"), <ftp://a.b>, [c](data:text/html,x), [](x:y)', 'a, b, ftp://a.b, c, '],
  ['[a](java&#115;cript:alert(1))', 'a'],
]
for (const [content, expected] of links)
  test(`the links of ${JSON.stringify(content)}`, () => {
    const { shown, unsupported } = markdown(content)
    assert.equal([shown, unsupported], [expected === '' ? content : expected, []])
  })

test('the text of a link that would be a list without the link is unsupported', () => {
  assert.equal(markdown('[- a](x:y)'), { plainText: '- a', unsupported: ['list'], shown: '- a' })
})

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
