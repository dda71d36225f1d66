import { beginsHtmlBlock } from './html.ts'

/** Block markup of CommonMark, and GFM's tables, none of which the protocol's Markdown has. */
export type Block =
  | 'heading'
  | 'horizontal rule'
  | 'code block'
  | 'quote'
  | 'list'
  | 'table'
  | 'HTML'
  | 'link reference definition'

type Line = { readonly text: string; readonly previous: string; readonly inParagraph: boolean }
type Rule = { readonly block: Block; readonly found: (line: Line) => boolean }

const cells = (row: string) => row.trim().replace(/^\|/, '').replace(/\|$/, '').split('|').length
const isDelimiterRow = (text: string) => /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/.test(text.trim())

/** In the order in which CommonMark asks: `---` below a paragraph is a heading, elsewhere a rule, never a list. */
const rules: ReadonlyArray<Rule> = [
  { block: 'code block', found: ({ text, inParagraph }) => !inParagraph && /^( {4}| {0,3}\t)\s*\S/.test(text) },
  { block: 'code block', found: ({ text }) => /^ {0,3}(`{3,}[^`]*|~{3,}.*)$/.test(text) },
  {
    block: 'table',
    found: ({ text, previous, inParagraph }) =>
      inParagraph && `${previous}${text}`.includes('|') && isDelimiterRow(text) && cells(text) === cells(previous),
  },
  { block: 'heading', found: ({ text }) => /^ {0,3}#{1,6}([ \t]|$)/.test(text) },
  { block: 'heading', found: ({ text, inParagraph }) => inParagraph && /^ {0,3}(=+|-+)[ \t]*$/.test(text) },
  { block: 'horizontal rule', found: ({ text }) => /^ {0,3}([-_*])[ \t]*(\1[ \t]*){2,}$/.test(text) },
  { block: 'quote', found: ({ text }) => /^ {0,3}>/.test(text) },
  { block: 'list', found: ({ text }) => /^ {0,3}([-+*]|1[.)])[ \t]+\S/.test(text) },
  {
    block: 'list',
    found: ({ text, inParagraph }) => !inParagraph && /^ {0,3}([-+*]|\d{1,9}[.)])([ \t]|$)/.test(text),
  },
  { block: 'HTML', found: ({ text, inParagraph }) => beginsHtmlBlock(text, inParagraph) },
  {
    block: 'link reference definition',
    found: ({ text, inParagraph }) => !inParagraph && /^ {0,3}\[(?=[^[\]]*[^[\]\s])[^[\]]*\]:[ \t]*\S/.test(text),
  },
]

/** The kinds of block markup in a text (lines end in `\n`), in the order of their first appearance. */
export const blocksIn = (content: string): ReadonlyArray<Block> => {
  const found = new Set<Block>()
  let previous = ''
  let inParagraph = false
  for (const text of content.split('\n')) {
    const line: Line = { text, previous, inParagraph }
    const rule: Rule | undefined = rules.find((candidate) => candidate.found(line))
    if (rule !== undefined) found.add(rule.block)
    inParagraph = rule === undefined && text.trim() !== ''
    previous = text
  }
  return [...found]
}
