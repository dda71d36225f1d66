import { suite } from 'uvu'
import { redrivesIn } from '../../../src/bridge/mongo/redrives.ts'
import { testDatabase } from '../../support/mongo.ts'
import { redrivesScenarios } from '../operations/redrive/redrives.scenarios.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()

const test = suite('redrives in MongoDB')
redrivesScenarios(test, async () => {
  await db.collection('redrives').deleteMany({})
  return mongo.query(redrivesIn)
})
test.after(drop)
test.run()
