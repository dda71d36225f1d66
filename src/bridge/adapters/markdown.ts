import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import type { Markdown } from '../domain/message-text.ts'

/**
 * The most characters of a MARKDOWN message: the limit of messengers. Parsing hostile text takes quadratic time. The
 * limit keeps that within fractions of a second.
 */
export const longestMarkdown = 4096

const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }

/** The tree of a Markdown text: CommonMark with GFM's autolinks, tables, strikethrough, task lists and footnotes. */
const parse = (content: string): Root => fromMarkdown(content, options)

/** A node and all nodes below it, in text order. It does not recurse, because quotes can nest thousands deep. */
const nodesOf = (root: Nodes): ReadonlyArray<Nodes> => {
  const nodes: Nodes[] = []
  const left: Nodes[] = [root]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    nodes.push(node)
    if ('children' in node) left.push(...node.children.toReversed())
  }
  return nodes
}

const ownText = (node: Nodes): string => (node.type === 'break' ? '\n' : 'value' in node ? node.value : '')

const textOf = (node: Nodes): string => nodesOf(node).map(ownText).join('')

/** The text of a Markdown message without markup: a link becomes its text. A text above the limit is unchanged. */
export const plainText = (markdown: string): string =>
  markdown.length > longestMarkdown ? markdown : parse(markdown).children.map(textOf).join('\n\n')

/** The name of a kind of node in an error. Undefined if the protocol has the kind, or if another kind contains it. */
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
 * The names of what a MARKDOWN message contains beyond links, bold and italic (protocol, Limits). `5 * 3`, `#1`, `-5`,
 * `snake_case` and `a < b` are plain text for this check and for the service. A text above the limit is not parsed.
 */
export const unsupportedMarkdown = (content: string): ReadonlyArray<string> =>
  content.length > longestMarkdown
    ? [`more than ${longestMarkdown} characters`]
    : [...new Set(nodesOf(parse(content)).flatMap(({ type }) => names[type] ?? []))]

export const markdown: Markdown = { plainText, unsupported: unsupportedMarkdown }
