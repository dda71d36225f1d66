import type { Definition, Link, Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import type { Markdown, MarkdownText } from '../domain/message-text.ts'

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

const tags = /<\/?(?:a|b|code|div|em|h[1-6]|i|li|ol|p|pre|s|span|strong|sub|sup|u|ul)(?:\s[^<>]*)?>/gi

/** The text without HTML's comments. A regular expression would take quadratic time for many that do not end. */
const withoutComments = (html: string): string => {
  const parts: string[] = []
  let from = 0
  for (;;) {
    const start = html.indexOf('<!--', from)
    const end = start < 0 ? -1 : html.indexOf('-->', start + 4)
    if (end < 0) return parts.join('') + html.slice(from)
    parts.push(html.slice(from, start))
    from = end + 3
  }
}

/** HTML as text: other tags stay, since `List<String>` is words. */
const textOfHtml = (html: string): string => withoutComments(html.replace(/<br\s*\/?>/gi, '\n')).replace(tags, '')

/** What a reader of plain text does not need. */
const isUnseen = ({ type }: Nodes): boolean => type === 'definition' || type === 'thematicBreak'

const deepestIndent = 8

/** A part of a text that is not written yet: text as it is, or a node at a depth of lists. */
type Part = string | { readonly node: Nodes; readonly depth: number }

const between = (parts: ReadonlyArray<Part>, separator: string): ReadonlyArray<Part> =>
  parts.flatMap((part, i) => (i === 0 ? [part] : [separator, part]))

/** The address after a link's text, unless the text is the address. */
const addressOf = (url: string | undefined, text: string): string =>
  url === undefined || [text, `mailto:${text}`, `http://${text}`].includes(url) || !isShownLink(url) ? '' : ` (${url})`

const partsOf = (node: Nodes, depth: number, urls: ReadonlyMap<string, string>): ReadonlyArray<Part> => {
  const below = (children: ReadonlyArray<Nodes>, deeper = depth): ReadonlyArray<Part> =>
    children.filter((child) => !isUnseen(child)).map((child) => ({ node: child, depth: deeper }))
  switch (node.type) {
    case 'root':
    case 'blockquote':
      return between(below(node.children), '\n\n')
    case 'list': {
      const indent = '  '.repeat(Math.min(depth, deepestIndent))
      const first = node.start ?? 1
      return node.children.flatMap((item, i): ReadonlyArray<Part> => {
        const marker = node.ordered === true ? `${first + i}. ` : '- '
        return [`${i === 0 ? '' : '\n'}${indent}${marker}`, ...between(below(item.children, depth + 1), '\n')]
      })
    }
    case 'table':
      return between(below(node.children), '\n')
    case 'tableRow':
      return between(below(node.children), ' | ')
    case 'link':
      return [...below(node.children), addressOf(node.url, textOf(node))]
    case 'linkReference':
      return [...below(node.children), addressOf(urls.get(node.identifier), textOf(node))]
    case 'image':
      return [node.alt ?? '', addressOf(node.url, node.alt ?? '')]
    case 'imageReference':
      return [node.alt ?? '', addressOf(urls.get(node.identifier), node.alt ?? '')]
    case 'html':
      return [textOfHtml(node.value)]
    case 'footnoteReference':
      return [`[${node.identifier}]`]
    case 'footnoteDefinition':
      return [`[${node.identifier}] `, ...between(below(node.children), '\n\n')]
    default:
      return 'children' in node ? below(node.children) : [ownText(node)]
  }
}

/** All words as plain text: lists and tables by lines, links with their addresses. It does not recurse either. */
const wordsOf = (root: Root): string => {
  const urls = new Map(
    nodesOf(root)
      .filter((node): node is Definition => node.type === 'definition')
      .map(({ identifier, url }) => [identifier, url]),
  )
  const written: string[] = []
  const left: Part[] = [{ node: root, depth: 0 }]
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (typeof part === 'string') written.push(part)
    else left.push(...partsOf(part.node, part.depth, urls).toReversed())
  }
  return written.join('')
}

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
 * The names of what a text contains beyond links, bold and italic (protocol, Limits). `5 * 3`, `#1`, `-5`,
 * `snake_case` and `a < b` are plain text for this check and for the service.
 */
const unsupportedIn = (root: Root): ReadonlyArray<string> => [
  ...new Set(nodesOf(root).flatMap(({ type }) => names[type] ?? [])),
]

/** The addresses that clients may be given. Others could do harm, or lead nowhere outside of the page where they were. */
const isShownLink = (url: string): boolean => /^(?:https?|mailto|tel):/i.test(url)

const isOtherLink = (node: Nodes): node is Link => node.type === 'link' && !isShownLink(node.url)

/** The content with only the text of these links. Links do not contain links. */
const withoutLinks = (content: string, links: ReadonlyArray<Link>): string =>
  links.toReversed().reduce((text, { position, children }) => {
    const [from, to] = [children[0]?.position?.start.offset, children.at(-1)?.position?.end.offset]
    const words = from === undefined || to === undefined ? '' : text.slice(from, to)
    return text.slice(0, position?.start.offset) + words + text.slice(position?.end.offset)
  }, content)

const read = (content: string): MarkdownText => {
  if (content.length > longestMarkdown)
    return { plainText: content, unsupported: [`more than ${longestMarkdown} characters`], shown: content }
  const root = parse(content)
  const own = unsupportedIn(root)
  const others = own.length > 0 ? [] : nodesOf(root).filter(isOtherLink)
  const shown = withoutLinks(content, others)
  // Without the brackets of a link its text may be a list.
  const unsupported = others.length > 0 ? unsupportedIn(parse(shown)) : own
  const plainText = unsupported.length > 0 ? wordsOf(root) : root.children.map(textOf).join('\n\n')
  return { plainText: plainText.trim() === '' ? content : plainText, unsupported, shown }
}

let last: { readonly content: string; readonly text: MarkdownText } | undefined

/** Reads a Markdown text. A command is read several times in a row on its way, and hostile text is parsed slowly. */
export const markdown: Markdown = (content) => {
  if (last?.content !== content) last = { content, text: read(content) }
  return last.text
}
