import { type DelimiterRun, delimiterRuns } from './delimiters.ts'
import { autolink, target } from './links.ts'

/** Escaped characters are set aside as private-use ones while markup is taken out. */
const privateUse = 0xe000
const hide = (text: string) =>
  text.replace(/\\([!-/:-@[-`{-~])/g, (_, char: string) => String.fromCharCode(privateUse + char.charCodeAt(0)))
const show = (text: string) =>
  text.replace(/[\ue021-\ue07e]/g, (char) => String.fromCharCode(char.charCodeAt(0) - privateUse))

const link = new RegExp(String.raw`\[((?:[^[\]]|\[[^[\]]*\])*)${target}`, 'g')

/** How many characters of each run are left as text once openers and closers of one kind are paired off. */
const unpaired = (runs: ReadonlyArray<DelimiterRun>): ReadonlyArray<number> => {
  const left = runs.map(({ length }) => length)
  const openers: number[] = []
  runs.forEach(({ opens, closes }, i) => {
    for (let opener = openers.at(-1); closes && opener !== undefined && (left[i] ?? 0) > 0; opener = openers.at(-1)) {
      const used = Math.min(left[i] ?? 0, left[opener] ?? 0)
      left[i] = (left[i] ?? 0) - used
      left[opener] = (left[opener] ?? 0) - used
      if (left[opener] === 0) openers.pop()
    }
    if (opens && (left[i] ?? 0) > 0) openers.push(i)
  })
  return left
}

const withoutEmphasis = (text: string, pattern: RegExp): string => {
  const runs = delimiterRuns(text, pattern)
  const left = unpaired(runs)
  let i = 0
  return text.replace(pattern, (run) => run.charAt(0).repeat(left[i++] ?? 0))
}

const paragraph = (text: string) => withoutEmphasis(withoutEmphasis(text, /\*+/g), /_+/g)

/** The text of a Markdown message with its markup taken out: a link becomes its text. Takes linear time. */
export const plainText = (markdown: string): string =>
  show(
    hide(markdown)
      .replace(link, '$1')
      .replace(autolink, '$1')
      .split(/(\n[ \t]*\n)/)
      .map(paragraph)
      .join(''),
  )
