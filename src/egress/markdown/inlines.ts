import { delimiterRuns } from './delimiters.ts'
import { hasInlineHtml } from './html.ts'
import { autolink, target } from './links.ts'

/** Inline markup of CommonMark, and GFM's strikethrough, that the protocol's Markdown does not have. */
export type Inline = 'image' | 'code span' | 'strikethrough' | 'HTML'

const escaped = /\\[!-/:-@[-`{-~]/g
const linkTarget = new RegExp(target, 'g')
const bareLink = /\bhttps?:\/\/[^\s<]+/gi
const image = /!\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]\(@\)/

const hasCodeSpan = (text: string) => {
  const lengths = [...text.matchAll(/`+/g)].map(([run]) => run.length)
  return new Set(lengths).size < lengths.length
}

const hasStrikethrough = (text: string) => {
  const open = new Set<number>()
  for (const { length, opens, closes } of delimiterRuns(text, /~+/g)) {
    if (closes && open.has(length)) return true
    if (opens && length <= 2) open.add(length)
  }
  return false
}

const inlinesOf = (paragraph: string): ReadonlyArray<Inline> => {
  const unescaped = paragraph.replace(escaped, '@')
  if (hasCodeSpan(unescaped)) return ['code span']
  const bare = unescaped.replace(autolink, '@').replace(linkTarget, '](@)').replace(bareLink, '@')
  const found: ReadonlyArray<Inline | false> = [
    image.test(bare) && 'image',
    hasInlineHtml(bare) && 'HTML',
    hasStrikethrough(bare) && 'strikethrough',
  ]
  return found.filter((name) => name !== false)
}

/** The kinds of inline markup in a text that are not allowed. Escaped characters and what stands in links do not count. */
export const inlinesIn = (content: string): ReadonlyArray<Inline> => content.split(/\n[ \t]*\n/).flatMap(inlinesOf)
