import { blocksIn } from './blocks.ts'
import { inlinesIn } from './inlines.ts'

/**
 * The names of what a MARKDOWN message holds beyond links, bold and italic (protocol, Limits), read as CommonMark with GFM's
 * tables and strikethrough. `5 * 3`, `#1`, `-5`, `snake_case` and `a < b` are text there and here. Takes linear time.
 */
export const unsupportedMarkdown = (content: string): ReadonlyArray<string> => {
  const text = content.replace(/\r\n?/g, '\n')
  return [...new Set([...blocksIn(text), ...inlinesIn(text)])]
}
