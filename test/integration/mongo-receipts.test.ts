import { suite } from 'uvu'
import { receiptsScenarios } from '../operations/erase/receipts.scenarios.ts'
import { testDatabase } from '../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()

const test = suite('receipts of erasures in MongoDB')
receiptsScenarios(test, async () => {
  await db.collection('erasures').deleteMany({})
  return mongo.erasures
})
test.after(drop)
test.run()
