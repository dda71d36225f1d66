import { readFileSync } from 'node:fs'
import type { Document } from 'mongodb'

/** Both pages for analysts. */
export const guideText = ['analyst.md', 'analyst-questions.md']
  .map((page) => readFileSync(new URL(`../../contracts/guides/${page}`, import.meta.url), 'utf8'))
  .join('\n')
const block = (section: string, language: string) =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(section)?.[1]

const answers: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(new URL('answers.json', import.meta.url), 'utf8'),
)

/** The questions of the guide: heading, query, and the answer for the shop of the tests. */
export const questions = guideText
  .split(/^(?=#{2,3} )/m)
  .filter((section) => /^### \d+\. /.test(section))
  .map((section) => ({
    title: section.slice(4, section.indexOf('\n')),
    query: block(section, 'js') ?? '',
    answer: answers[Number.parseInt(section.slice(4), 10)],
  }))

/** The six names that the guide's queries use. */
export type Names = {
  readonly account: string
  readonly from: Date
  readonly to: Date
  readonly timezone: string
  readonly chat: string
  readonly now: Date
}

type Asked = { readonly collection: string; readonly pipeline: Document[] }

/** What a query requests from mongosh's `db`, whose collections have `aggregate` and `find`. */
export const asked = (query: string, names: Names): Asked => {
  const mongosh = new Proxy(
    {},
    {
      get: (_, collection) => ({
        aggregate: (pipeline: Document[]) => ({ collection, pipeline }),
        find: ($match: Document) => ({
          sort: ($sort: Document) => ({ collection, pipeline: [{ $match }, { $sort }] }),
        }),
      }),
    },
  )
  return new Function('db', ...Object.keys(names), `return ${query.trim()}`)(mongosh, ...Object.values(names))
}
