import { suite } from 'uvu'
import { archiveKeysScenarios } from '../archive/archive-keys.scenarios.ts'
import { testDatabase } from '../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()

const test = suite('archive keys in MongoDB')
archiveKeysScenarios(test, async () => {
  await db.collection('archive_keys').deleteMany({})
  return mongo.archiveKeys
})
test.after(drop)
test.run()
