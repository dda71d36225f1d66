import { suite } from 'uvu'
import { consoleSessionsIn } from '../../../src/bridge/mongo/sign-in-sessions.ts'
import { testDatabase } from '../../support/mongo.ts'
import { consoleSessionsScenarios } from '../console-sessions.scenarios.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()

const test = suite('sessions of the console in MongoDB')
consoleSessionsScenarios(test, async () => {
  for (const name of ['console_sessions', 'console_links']) await db.collection(name).deleteMany({})
  return mongo.query(consoleSessionsIn)
})
test.after(drop)
test.run()
