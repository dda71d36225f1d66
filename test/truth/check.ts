// After the suites, on the servers that they ran on: everything that they left behind is what the published schemas say.
import { MongoClient } from 'mongodb'
import { servers } from '../support/servers.ts'
import { checkDatabase, databasesOf } from './documents.ts'
import { placesOn } from './read-prefix.ts'
import { checkPrefix } from './records.ts'
import { kinds, tally } from './tally.ts'

const { brokers, mongoUrl } = await servers()
const all = tally()
const client = await MongoClient.connect(mongoUrl)
const databases = await databasesOf(client)
for (const name of databases) await checkDatabase(client, name, all)
await client.close()
// A bridge has worked where there is a database of the same name.
for (const [prefix, topics] of await placesOn(brokers))
  await checkPrefix(brokers, prefix, topics, databases.includes(prefix.slice(0, -1)), all)

const { checked, wrong } = all
const missing = process.argv.includes('--all') ? kinds.filter((kind) => !checked.has(kind)) : []
for (const [kind, count] of [...checked].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${kind}: ${count}`)
for (const problem of wrong.slice(0, 20)) console.log(`  ✘ ${problem}`)
for (const kind of missing) console.log(`  ✘ nothing was left of ${kind}`)
const total = [...checked.values()].reduce((sum, count) => sum + count, 0)
console.log(`  ${total} records and documents checked, ${wrong.length} wrong`)
process.exit(wrong.length + missing.length === 0 ? 0 : 1)
