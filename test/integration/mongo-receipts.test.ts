import { createHmac } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { receiptsScenarios } from '../operations/erase/receipts.scenarios.ts'
import { testDatabase } from '../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const mongo = connect()

const test = suite('receipts of erasures in MongoDB')
receiptsScenarios(test, async () => {
  await db.collection('erasures').deleteMany({})
  return mongo.erasures
})

test('nobody is hashed with an empty key, and the next question asks for the key again', async () => {
  const keys = db.collection<{ readonly _id: string; readonly key: string }>('erasure_keys')
  const { hmac } = connect().erasures
  await keys.replaceOne({ _id: 'receipts' }, { key: '' }, { upsert: true })
  const [refused] = await Promise.allSettled([hmac()])
  assert.match(refused?.status === 'rejected' ? String(refused.reason) : '', 'erasure_keys has no key for receipts')

  await keys.deleteOne({ _id: 'receipts' })
  const hash = await hmac()
  const key = (await keys.findOne({ _id: 'receipts' }))?.key ?? ''
  assert.ok(key.length > 40)
  assert.is(hash('chat acme/1'), createHmac('sha256', key).update('chat acme/1').digest('base64url'))
})

test.after(drop)
test.run()
