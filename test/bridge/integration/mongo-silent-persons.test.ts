import { suite } from 'uvu'
import { silentPersonsIn } from '../../../src/bridge/mongo/silent-persons.ts'
import { entriesView } from '../../../src/bridge/views/index.ts'
import { testDatabase } from '../../support/mongo.ts'
import { silentPersonsScenarios } from '../privacy/retain-days/silent-persons.scenarios.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()

const test = suite('silent persons in MongoDB')
silentPersonsScenarios(test, async (log) => {
  for (const name of [entriesView, 'erasures', 'retain_days']) await db.collection(name).deleteMany({})
  const place = { accountId: 'acme', topic: 'chats', partition: 0 }
  const entries = log.map((entry, offset) => ({ ...entry, ...place, offset, type: 'ChatUpdated' }))
  // A marker of an erasure is no event, and neither is what another account has.
  const others = entries.flatMap((entry) => [
    { ...entry, _id: `marker of ${entry._id}`, offset: 99, type: 'ChatErased' },
    { ...entry, _id: `other ${entry._id}`, offset: 99, accountId: 'other' },
  ])
  if (entries.length > 0) await db.collection<{ _id: string }>(entriesView).insertMany([...entries, ...others])
  return mongo.query(silentPersonsIn)
})
test.after(drop)
test.run()
