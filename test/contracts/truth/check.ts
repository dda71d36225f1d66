// Runs after the suites, on their servers: checks that everything that they left there matches the published schemas.
import '../../../src/bridge/kafka/compression.ts'
import { MongoClient } from 'mongodb'
import { limitConcurrency } from '../../../src/bridge/shared/semaphore.ts'
import { withAdmin } from '../../support/plain-consumer.ts'
import { servers } from '../../support/servers.ts'
import { checkDatabase, databasesOf } from './documents.ts'
import { topicNames } from './everything.ts'
import { checkPrefix } from './records.ts'
import { kinds, tally } from './tally.ts'

/** The bridge's topics on the broker, by prefix. */
const placesOn = async (brokers: ReadonlyArray<string>) => {
  const all = await withAdmin(brokers, (admin) => admin.listTopics())
  const ours = all.flatMap((topic) => {
    const name = topicNames.find((each) => topic.endsWith(`.${each}`))
    return name === undefined ? [] : [{ prefix: topic.slice(0, -name.length), name }]
  })
  const grouped = Map.groupBy(ours, ({ prefix }) => prefix)
  return new Map([...grouped].map(([prefix, found]) => [prefix, found.map(({ name }) => name)]))
}

const { brokers, mongoUrl } = await servers()
const all = tally()
const client = await MongoClient.connect(mongoUrl)
const databases = await databasesOf(client)
for (const name of databases) await checkDatabase(client, name, all)
await client.close()
// Each prefix has a consumer of its own, which spends most of its time waiting.
const inTurn = limitConcurrency(8)
// If a database has the name of the prefix, a bridge has worked with this prefix.
await Promise.all(
  [...(await placesOn(brokers))].map(([prefix, found]) =>
    inTurn(() => checkPrefix(brokers, prefix, found, databases.includes(prefix.slice(0, -1)), all)),
  ),
)

const { checked, wrong } = all
const missing = process.argv.includes('--all') ? kinds.filter((kind) => !checked.has(kind)) : []
for (const [kind, count] of [...checked].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${kind}: ${count}`)
for (const problem of wrong.slice(0, 20)) console.log(`  ✘ ${problem}`)
for (const kind of missing) console.log(`  ✘ no ${kind} was written`)
const total = [...checked.values()].reduce((sum, count) => sum + count, 0)
console.log(`  ${total} records and documents checked, ${wrong.length} wrong`)
process.exit(wrong.length + missing.length === 0 ? 0 : 1)
