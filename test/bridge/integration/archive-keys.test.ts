import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { archiveKeysIn } from '../../../src/bridge/mongo/archive-keys.ts'
import { testDatabase } from '../../support/mongo.ts'
import { archiveKeysScenarios } from '../archive/archive-keys.scenarios.ts'

const { db, connect, drop } = await testDatabase()
const archiveKeys = connect().query(archiveKeysIn)

const test = suite('archive keys in MongoDB')
archiveKeysScenarios(test, async () => {
  await db.collection('archive_keys').deleteMany({})
  return archiveKeys
})

test('keys are given up after it is stored that the whole archive is looked through, so a kill in between loses nothing', async () => {
  const read = db.collection<{ readonly _id: string; readonly until?: Date }>('topics_read')
  await db.collection('archive_keys').deleteMany({})
  await read.insertOne({ _id: 'erasures', until: new Date() })
  await archiveKeys.add([{ id: 'chats/acme/1', kid: '1', wrapped: 'w.1' }])
  await db.command({ collMod: 'archive_keys', validator: { wrapped: { $exists: true } } })
  const [refused] = await Promise.allSettled([archiveKeys.giveUp('w.1')])
  assert.is(refused?.status, 'rejected')
  assert.is((await read.findOne({ _id: 'erasures' }))?.until, undefined)
  assert.equal(await archiveKeys.examples(), ['w.1'])
  await db.command({ collMod: 'archive_keys', validator: {} })
  await archiveKeys.giveUp('w.1')
  assert.equal(await archiveKeys.examples(), [])
})
test.after(drop)
test.run()
