import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { unsupportedMarkdown } from '../../src/adapters/markdown.ts'

const test = suite('Markdown of the protocol')

const allowed = [
  '',
  'plain text',
  '**bold**, __bold__, *italic*, _italic_, ***both***',
  '[text](https://a.b), [**bold**](https://a.b "title"), <https://a.b>, <me@a.b>, https://a.b',
  '[text](https://a.b/~user/~x) and [other](https://a.b/c_(d)?e=<f>)',
  'two lines\nof one paragraph\n\nand another',
  '5 * 3 = 15, 2*3*4, a_b_c, snake_case_name',
  '#1, #tag, number # 1',
  '-5 degrees, a - b, a-b, 10-12',
  '+1 and + 1',
  '1.5 kg, 3.14, v1.',
  'in\n2026. it was so',
  'a < b and c > d, 1<2, <3, x <- y, a<b, < b >',
  '=====',
  'a | b',
  '~5 to ~6, ~ and ~~, a ~~ b ~~ c',
  "it`s one backtick, isn't it",
  'wow! [link](https://a.b)',
  '\\# no heading',
  '\\- no list, \\> no quote, \\`no code\\`, \\<b\\>, \\!\\[no image](x), \\~\\~no\\~\\~',
  'see [1] and [note]',
  'text\n    indented within a paragraph',
  '& &amp; &lt;',
  '$10 = 9%, 50 %',
  'C# and F#',
]
for (const content of allowed)
  test(`is ${JSON.stringify(content)}`, () => assert.equal(unsupportedMarkdown(content), []))

const refused: ReadonlyArray<[string, ReadonlyArray<string>]> = [
  ['# Title', ['heading']],
  ['   ###### Title', ['heading']],
  ['#', ['heading']],
  ['Title\n=====', ['heading']],
  ['Title\r\n---', ['heading']],
  ['---', ['horizontal rule']],
  ['text\n\n* * *', ['horizontal rule']],
  ['text\n___', ['horizontal rule']],
  ['- item', ['list']],
  ['* item', ['list']],
  ['+ item', ['list']],
  ['text\n- item', ['list']],
  ['1. item', ['list']],
  ['7) item', ['list']],
  ['text\n1. item', ['list']],
  ['> quote', ['quote']],
  ['text\n>quote', ['quote']],
  ['```\ncode', ['code block']],
  ['~~~ js\ncode', ['code block']],
  ['    code', ['code block']],
  ['text\n\n\tcode', ['code block']],
  ['`code`', ['code span']],
  ['``a ` b``', ['code span']],
  ['`code\nspan`', ['code span']],
  ['![alt](https://a.b/c.png)', ['image']],
  ['[![alt](https://a.b/c.png)](https://a.b)', ['image']],
  ['a | b\n--|--\n1 | 2', ['table']],
  ['| a |\n|:-:|', ['table']],
  ['~~gone~~', ['strikethrough']],
  ['~gone~', ['strikethrough']],
  ['a <b>bold</b> word', ['HTML']],
  ['line<br/>break', ['HTML']],
  ['<a href="https://a.b">x</a>', ['HTML']],
  ['<div\nclass="x">', ['HTML']],
  ['a <!-- comment -->', ['HTML']],
  ['<script>', ['HTML']],
  ['[note]: https://a.b', ['link reference definition']],
  ['# Title\n\n- item with `code`', ['heading', 'list', 'code span']],
]
for (const [content, expected] of refused)
  test(`is not ${JSON.stringify(content)}`, () => assert.equal(unsupportedMarkdown(content), expected))

test.run()
