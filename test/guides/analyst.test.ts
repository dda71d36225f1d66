import { readFileSync } from 'node:fs'
import type { Document } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { changesOfEvent } from '../../src/projections/changes.ts'
import { inLog } from '../support/given-events.ts'
import { testDatabase } from '../support/mongo.ts'
import { shop } from './shop.ts'

const { db, connect, drop } = await testDatabase()
const bridge = connect()
await bridge.ensureIndexes()
await bridge.applyChanges(inLog(...shop).flatMap(changesOfEvent))

// A hundred times as much of the year before and of other chats: no answer may have any of it, and only the index of
// what is asked for avoids reading it.
for (const { name } of await db.listCollections({ type: 'collection' }).toArray()) {
  const documents = await db.collection<{ _id: string }>(name).find().toArray()
  const earlier = (i: number) =>
    documents.map((document) => ({
      ...JSON.parse(JSON.stringify(document).replaceAll('2026-', '2025-')),
      _id: `${document._id}/${i}`,
      chatId: `earlier-${i}`,
    }))
  if (documents.length > 0)
    await db.collection<{ _id: string }>(name).insertMany(Array.from({ length: 100 }, (_, i) => earlier(i)).flat())
}

const text = readFileSync(new URL('../../contracts/guides/analyst.md', import.meta.url), 'utf8')
const block = (section: string, language: string) =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(section)?.[1]

/** The questions as the guide has them: heading, query, and the answer that it shows. */
const questions = text
  .split(/^(?=#{2,3} )/m)
  .filter((section) => /^### \d+\. /.test(section))
  .map((section) => ({
    title: section.slice(4, section.indexOf('\n')),
    query: block(section, 'js') ?? '',
    answer: block(section, 'json') ?? 'null',
  }))

const names = { account: 'acme', from: '2026-03-01', to: '2026-04-01', timezone: 'UTC', chat: '304' }

type Asked = { readonly collection: string; readonly pipeline: Document[] }

/** What a query asks of mongosh's `db`, where each collection has `aggregate`. */
const asked = (query: string): Asked => {
  const mongosh = new Proxy(
    {},
    { get: (_, collection) => ({ aggregate: (pipeline: Document[]) => ({ collection, pipeline }) }) },
  )
  return new Function('db', ...Object.keys(names), `return ${query.trim()}`)(mongosh, ...Object.values(names))
}

const guide = suite('guide for an analyst')

guide.after(drop)

guide('has twelve questions', () => {
  assert.equal(
    questions.map(({ title }) => Number.parseInt(title, 10)),
    Array.from({ length: 12 }, (_, i) => i + 1),
  )
})

for (const { title, query, answer } of questions) {
  guide(`${title} is answered as the guide says`, async () => {
    const { collection, pipeline } = asked(query)
    assert.equal(await db.collection(collection).aggregate(pipeline).toArray(), JSON.parse(answer))
  })

  guide(`${title} is served by an index of what it asks for`, async () => {
    const { collection, pipeline } = asked(query)
    const explained = await db.collection(collection).aggregate(pipeline).explain('queryPlanner')
    const plan = JSON.stringify(explained, (key, value) => (key === 'rejectedPlans' ? undefined : value))
    assert.not.match(plan, '"COLLSCAN"')
    const fields = [...plan.matchAll(/"indexName":"accountId_1_(.+?)_1[_"]/g)].map(([, field]) => field)
    assert.ok(fields.length > 0 && fields.every((field) => query.includes(`, ${field}: `)), plan)
  })
}

guide.run()
