import { readFileSync } from 'node:fs'
import type { Document } from 'mongodb'

export const guideText = readFileSync(new URL('../../contracts/guides/analyst.md', import.meta.url), 'utf8')
const block = (section: string, language: string) =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(section)?.[1]

/** The questions as the guide has them: heading, query, and the answer that it shows. */
export const questions = guideText
  .split(/^(?=#{2,3} )/m)
  .filter((section) => /^### \d+\. /.test(section))
  .map((section) => ({
    title: section.slice(4, section.indexOf('\n')),
    query: block(section, 'js') ?? '',
    answer: block(section, 'json') ?? 'null',
  }))

/** What the queries are about; the guide's six names. */
export type Names = {
  readonly account: string
  readonly from: Date
  readonly to: Date
  readonly timezone: string
  readonly chat: string
  readonly now: Date
}

type Asked = { readonly collection: string; readonly pipeline: Document[] }

/** What a query asks of mongosh's `db`, where each collection has `aggregate` and `find`. */
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
