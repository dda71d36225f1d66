import { suite } from 'uvu'
import { redrivesScenarios } from '../operations/redrive/redrives.scenarios.ts'
import { testDatabase } from '../../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()

const test = suite('redrives in MongoDB')
redrivesScenarios(test, async () => {
  await db.collection('redrives').deleteMany({})
  return mongo.redrives
})
test.after(drop)
test.run()
