import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Bridge } from '../../../src/app/bridge.ts'
import { viewVersionsIn } from '../../../src/bridge/mongo/view-versions.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { runCommand } from '../../support/command.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at, inLog } from '../../support/given-events.ts'
import { testDatabase } from '../../support/mongo.ts'
import { sample } from '../../support/samples.ts'
import { world } from '../../support/world.ts'

const versions = suite('versions of views')
const { db, connect, drop } = await testDatabase()
const bridge = connect()
const { others, note } = bridge.query(viewVersionsIn)
const here = await world({ partitions: 2 })
const client = await MongoClient.connect(here.mongo.url)
const marks = db.collection<{ _id: string }>('view_versions')

versions.after(async () => {
  await drop()
  await client.close()
  await here.stop()
})

versions('an empty view of a new store gets the current version, and keeps it with documents', async () => {
  assert.equal(await others(), [])
  await bridge.applyChanges(inLog(anEvent('ChatAccepted', 'e1', at('10:00:00'))).flatMap(changesOfEvent))
  assert.equal(await others(), [])
})

versions('a view with documents of another version or without a version is reported', async () => {
  await marks.updateOne({ _id: 'chats' }, { $set: { version: 0 } })
  await marks.deleteOne({ _id: 'timeline' })
  assert.equal(await others(), ['chats', 'timeline'])
  await note(['chats', 'timeline'])
  assert.equal(await others(), [])
})

versions('documents of an old version are never folded further, and are replaced by a rebuild', async () => {
  const chats = client.db().collection<{ _id: string; firstEventAt: unknown }>('chats')
  const old = { _id: 'acme/1', firstEventAt: '2026-01-31T10:00:00.000Z', state: 'open', applied: {}, seen: [] }
  await chats.insertOne(old)
  let running: Bridge | undefined
  await here.start(undefined, (started) => {
    running = started
  })
  const readiness = async () => (await fetch(`${running?.adminUrl}/readyz`)).text()
  await eventually('the refusal', async () =>
    (await readiness()).includes('chats: not made by this version of the bridge: run livechat-bridge rebuild chats'),
  )
  const body = JSON.stringify({ ...JSON.parse(sample('webhooks', 'chat_accepted')), chat_id: 1 })
  const url = `${running?.url}/webhooks/${here.accounts[0]?.webhooks?.token}`
  const headers = { 'content-type': 'application/json' }
  assert.is((await fetch(url, { method: 'POST', headers, body })).status, 200)

  const { code, out, err } = await runCommand(['rebuild', 'chats'], {
    KAFKA_BROKERS: here.brokers.join(','),
    MONGODB_URL: here.mongo.url,
    TOPIC_PREFIX: here.prefix,
  })

  assert.equal([code, err], [0, ''], out)
  const [rebuilt, ...more] = await chats.find().toArray()
  assert.equal([rebuilt?._id, rebuilt?.firstEventAt instanceof Date, more], ['acme/1', true, []])
  await eventually(
    'the projector to continue',
    async () => (await client.db().collection('timeline').countDocuments()) === 1,
  )
})

versions.run()
