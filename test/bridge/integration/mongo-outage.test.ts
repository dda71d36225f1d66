import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { classify } from '../../../src/bridge/mongo/classify.ts'
import { findEnrichments } from '../../../src/bridge/mongo/enrichments.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at, inLog } from '../../support/given-events.ts'
import { testDatabase } from '../../support/mongo.ts'
import { pausableProxy } from '../../support/pausable-proxy.ts'

const { url, client, connect, drop } = await testDatabase()
await client.connect()
const [host] = client.options.hosts
const proxy = await pausableProxy(host?.port ?? 27017)
const viaProxy = new URL(url)
viaProxy.host = `127.0.0.1:${proxy.port}`
viaProxy.search = 'directConnection=true'
const mongo = connect({ url: viaProxy.href })

const outage = suite('a MongoDB that hangs')

const change = (id: string) => inLog(anEvent('ClientUpdated', id, at('10:00:00'))).flatMap(changesOfEvent)
const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: unknown) => classify(error).kind,
  )

outage('is reported to each caller as an outage while it lasts, and needs no restart', async () => {
  await mongo.applyChanges(change('e1'))
  assert.equal(await mongo.health(), { ok: true, reason: 'the primary answers' })
  proxy.pause()
  const ended: string[] = []
  const end = async <A>(name: string, promise: Promise<A>) => {
    const outcome = await promise
    ended.push(name)
    return outcome
  }
  const enrichment = end('enrichment', outcomeOf(mongo.query(findEnrichments)(['acme/clientId:1'])))
  const health = Promise.resolve(mongo.health())
  const applied = end('apply', outcomeOf(mongo.applyChanges(change('e2'))))
  assert.equal(await enrichment, 'transient')
  assert.is((await health).ok, false)
  assert.is(await applied, 'transient')
  assert.equal(ended, ['enrichment', 'apply'], 'who answers a client has waited least')
  proxy.resume()
  await eventually(
    'a write to be resolved',
    async () => (await outcomeOf(mongo.applyChanges(change('e3')))) === 'resolved',
  )
  await eventually('MongoDB to be healthy', async () => (await mongo.health()).ok)
})

outage.after(async () => {
  await drop()
  proxy.stop()
})
outage.run()
