// After the suites, on the servers that they ran on: everything that they left behind is what the published schemas say.
import { published } from '../../src/publishing/catalogue.ts'
import { servers } from '../support/servers.ts'
import { checkDocuments } from './documents.ts'
import { checkRecords } from './records.ts'
import { tally } from './tally.ts'

const { brokers, mongoUrl } = await servers()
const all = tally()
const databases = await checkDocuments(mongoUrl, all)
await checkRecords(brokers, (prefix) => databases.has(prefix.slice(0, -1)), all)

const { checked, wrong } = all
const expected = [
  ...published.filter(({ direction }) => direction === 'event').map(({ name }) => name),
  ...published.map(({ name }) => name).filter((name) => name.endsWith('Document')),
  ...['BotMessage', 'InviteAgent', 'Enrichment', 'quarantine', 'dead-letters'],
]
const missing = process.argv.includes('--all') ? expected.filter((kind) => !checked.has(kind)) : []
for (const [kind, count] of [...checked].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${kind}: ${count}`)
for (const problem of wrong.slice(0, 20)) console.log(`  ✘ ${problem}`)
for (const kind of missing) console.log(`  ✘ nothing was left of ${kind}`)
const total = [...checked.values()].reduce((sum, count) => sum + count, 0)
console.log(`  ${total} records and documents checked, ${wrong.length} wrong`)
process.exit(wrong.length + missing.length === 0 ? 0 : 1)
