import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

/**
 * The most characters of a MARKDOWN message: what messengers take. Parsing hostile text takes quadratic time, which this
 * keeps to fractions of a second.
 */
export const longestMarkdown = 4096

const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }

/** The tree of a Markdown text: CommonMark with GFM's autolinks, tables, strikethrough, task lists and footnotes. */
export const parse = (content: string): Root => fromMarkdown(content, options)

/** A node and all within it, in the order of the text. Without recursion: quotes within quotes can be thousands deep. */
export const nodesOf = (root: Nodes): ReadonlyArray<Nodes> => {
  const nodes: Nodes[] = []
  const left: Nodes[] = [root]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    nodes.push(node)
    if ('children' in node) left.push(...node.children.toReversed())
  }
  return nodes
}
