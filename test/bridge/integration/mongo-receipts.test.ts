import { createHmac } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { erasuresIn } from '../../../src/bridge/mongo/erasures.ts'
import { testDatabase } from '../../support/mongo.ts'
import { receiptsScenarios } from '../privacy/erase/receipts.scenarios.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()

const test = suite('receipts of erasures in MongoDB')
receiptsScenarios(test, async () => {
  await db.collection('erasures').deleteMany({})
  return mongo.query(erasuresIn)
})

test('nobody is hashed with an empty key, or a new one while there are receipts; the next question asks again', async () => {
  const receipts = db.collection<{ readonly _id: string }>('erasures')
  const keys = db.collection<{ readonly _id: string; readonly key: string }>('erasure_keys')
  const { hmac, misfit } = connect().query(erasuresIn)
  const refuses = async () => {
    const [refused] = await Promise.allSettled([hmac()])
    assert.match(refused?.status === 'rejected' ? String(refused.reason) : '', 'erasure_keys has no key for receipts')
  }
  await keys.replaceOne({ _id: 'receipts' }, { key: '' }, { upsert: true })
  await refuses()

  await keys.deleteOne({ _id: 'receipts' })
  await receipts.replaceOne({ _id: 'r1' }, {}, { upsert: true })
  await refuses()
  assert.match((await misfit()) ?? '', 'erasure_keys has no key for receipts')
  await receipts.deleteMany({})
  assert.is(await misfit(), undefined)
  const hash = await hmac()
  const key = (await keys.findOne({ _id: 'receipts' }))?.key ?? ''
  assert.ok(key.length > 40)
  assert.is(hash('chat acme/1'), createHmac('sha256', key).update('chat acme/1').digest('base64url'))
})

test.after(drop)
test.run()
