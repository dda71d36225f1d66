import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type DriftDocument, maxDriftEntries } from '../../../contracts/views/drift.ts'
import { bridgeOf } from '../../../src/tools/simulator/account.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { connectOperator } from '../../support/operator.ts'
import { runRebuild } from '../../support/rebuild.ts'
import { sample } from '../../support/samples.ts'
import { world } from '../../support/world.ts'

const here = await world()
const bridge = await here.start(['ingress', 'projector'])
const operator = await connectOperator(here)
const { db, kafka } = operator
const drift = db.collection<DriftDocument>('drift')
const { webhooksUrl = '' } = bridgeOf(bridge.url, here.account)

const post = async (payload: object) => {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(webhooksUrl, { method: 'POST', headers, body: JSON.stringify(payload) })).status
}
const accepted = JSON.parse(sample('webhooks', 'chat_accepted'))
const call = JSON.parse(sample('webhooks', 'call_event'))
const entry = (place: string, count: number) =>
  eventually(place, async () => (await drift.findOne({ _id: `acme/${place}`, count })) ?? undefined)
const all = () => drift.find().sort({ _id: 1 }).toArray()
const metric = async (kind: string) =>
  /** The view is read at each scrape. */
  Number(
    (await (await fetch(`${bridge.adminUrl}/metrics`)).text())
      .split('\n')
      .find((line) => line.startsWith(`livechat_drift_entries{account="acme",kind="${kind}"}`))
      ?.split(' ')[1],
  )
/** Metrics may be one second old. */
const measured = (kind: string, entries: number) =>
  eventually(`${entries} of ${kind}`, async () => (await metric(kind)) === entries || undefined)

const view = suite('drift, with real servers')

view.after(async () => {
  await operator.stop()
  await here.stop()
})

view(
  'has unknown fields, unknown events, new words, values that do not fit and refused ids, and a metric counts them',
  async () => {
    await measured('unknown-field', 0)
    const secret = 'Jane Doe 4711'
    for (const chat_id of [1, 2, 3])
      assert.is(
        await post({ ...accepted, chat_id, loyalty: { level: secret, [`${chat_id}@example.com`]: secret } }),
        200,
      )
    assert.is(await post({ event_name: 'chat_paused', who: secret }), 200)
    assert.is(await post({ ...call, call: { ...call.call, status: 'paused' } }), 200)
    assert.is(await post({ ...call, call: { ...call.call, phone: { number: secret } } }), 200)
    assert.is(await post({ ...call, chat_id: { number: secret } }), 400)

    const { _id, firstAt, lastAt, applied, ...rest } = await entry(
      'unknown-field/webhooks/chat_accepted/loyalty.level',
      3,
    )
    assert.equal(rest, {
      accountId: 'acme',
      kind: 'unknown-field',
      api: 'webhooks',
      event: 'chat_accepted',
      path: 'loyalty.level',
      count: 3,
      types: ['text'],
      example: 'text of 13: Aaaa_Aaa_9999',
    })
    assert.ok(firstAt <= lastAt)
    await entry('unknown-field/webhooks/chat_accepted/loyalty.*', 3)
    await entry('unknown-event/webhooks/chat_paused/event_name', 1)
    await entry('new-value/webhooks/call_event/call.status', 1)
    assert.equal((await entry('misfit/webhooks/call_event/call.phone', 1)).types, ['object'])
    assert.equal((await entry('refused/webhooks/call_event/chat_id', 1)).types, ['object'])
    const documents = await all()
    assert.not.ok(/Jane|4711|example\.com/.test(JSON.stringify(documents)))
    for (const kind of ['unknown-field', 'unknown-event', 'new-value', 'misfit', 'refused'])
      await measured(kind, documents.filter((each) => each.kind === kind).length)
  },
)

view('counts an event that was appended twice only once', async () => {
  const event = anEvent('ChatUpdated', randomUUID(), at('10:00:00'), { extra: { twice: 1 } })
  right(await kafka.publish(event, 20_000))
  right(await kafka.publish(event, 20_000))
  right(await kafka.publish(anEvent('ChatUpdated', randomUUID(), at('10:00:01'), { extra: { twice: 1 } }), 20_000))
  const { applied } = await entry('unknown-field/webhooks/chat_updated/twice', 2)
  const [offset] = Object.values(applied)
  assert.is(offset, Math.max(...Object.values(applied)))
})

const rebuild = (dryRun: boolean) => runRebuild(operator, { views: ['drift'], dryRun })

view('is the same when it is rebuilt', async () => {
  const before = await all()
  assert.ok(before.length >= 6)
  const dry = await rebuild(true)
  assert.is(dry.code, 0, dry.said.join('\n'))
  const done = await rebuild(false)
  assert.is(done.code, 0, done.said.join('\n'))
  assert.equal(await all(), before)
})

view('has at most a thousand entries of an account; the rest is counted together', async () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const name = (i: number) =>
    `field_${letters[Math.floor(i / 26) % 26]}${letters[i % 26]}${letters[Math.floor(i / 676)]}`
  const [requests, fieldsOfOne] = [12, 100]
  const before = await drift.countDocuments()
  for (let i = 0; i < requests; i++) {
    const fields = Array.from({ length: fieldsOfOne }, (_, j) => [name(fieldsOfOne * i + j), j])
    assert.is(await post({ ...accepted, chat_id: 100 + i, ...Object.fromEntries(fields) }), 200)
  }
  // MongoDB shows the writes of one slice one after the other: `others` may be there before the last entries are. It
  // counts the requests of which a field had no room.
  const room = maxDriftEntries - 1 - before
  const others = await entry('others', Math.ceil((requests * fieldsOfOne - room) / fieldsOfOne))
  assert.is(others.kind, 'others')
  await eventually('all entries', async () => (await drift.countDocuments()) === maxDriftEntries)
  await measured('others', 1)
})

view('agrees with its rebuild also where an account has no room for more, whatever the order of reading', async () => {
  // Which entries the account has is the order of reading: here the live view read another entry first.
  const last = await drift.findOne({ kind: 'unknown-field', path: /^field_/ })
  assert.ok(last)
  await drift.deleteOne({ _id: last._id })
  await drift.insertOne({ ...last, _id: `${last._id}_too`, path: `${last.path}_too` })
  const { code, said } = await rebuild(true)
  assert.is(code, 0, said.join('\n'))
  assert.match(
    said.join('\n'),
    /are beyond the limit of an account, where the order of reading decides, and not compared/,
  )
})

view.run()
