import type { Nodes } from 'mdast'
import { longestMarkdown, nodesOf, parse } from './parse.ts'

/** What each kind of node is called in a refusal; nothing, where the protocol has it or it is part of another. */
const names: { readonly [T in Nodes['type']]: string | undefined } = {
  root: undefined,
  paragraph: undefined,
  text: undefined,
  strong: undefined,
  emphasis: undefined,
  link: undefined,
  break: undefined,
  listItem: undefined,
  tableRow: undefined,
  tableCell: undefined,
  blockquote: 'quote',
  code: 'code block',
  definition: 'link reference definition',
  delete: 'strikethrough',
  footnoteDefinition: 'footnote',
  footnoteReference: 'footnote',
  heading: 'heading',
  html: 'HTML',
  image: 'image',
  imageReference: 'image',
  inlineCode: 'code span',
  linkReference: 'reference link',
  list: 'list',
  table: 'table',
  thematicBreak: 'horizontal rule',
  yaml: 'front matter',
}

/**
 * The names of what a MARKDOWN message holds beyond links, bold and italic (protocol, Limits). `5 * 3`, `#1`, `-5`,
 * `snake_case` and `a < b` are text there and here. What is longer than a message may be is not read.
 */
export const unsupportedMarkdown = (content: string): ReadonlyArray<string> =>
  content.length > longestMarkdown
    ? [`more than ${longestMarkdown} characters`]
    : [...new Set(nodesOf(parse(content)).flatMap(({ type }) => names[type] ?? []))]
