import type { Nodes } from 'mdast'
import { longestMarkdown, nodesOf, parse } from './parse.ts'

const ownText = (node: Nodes): string => (node.type === 'break' ? '\n' : 'value' in node ? node.value : '')

const textOf = (node: Nodes): string => nodesOf(node).map(ownText).join('')

/** The text of a Markdown message with its markup taken out: a link becomes its text. Too long, it stays as it is. */
export const plainText = (markdown: string): string =>
  markdown.length > longestMarkdown ? markdown : parse(markdown).children.map(textOf).join('\n\n')
