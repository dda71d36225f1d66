import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { archiveTopics, chatTopics, eventTopics } from '../../../contracts/topics.ts'
import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { now } from '../../../src/bridge/domain/clock.ts'
import { storeEnrichments } from '../../../src/bridge/mongo/enrichments.ts'
import { erasuresIn } from '../../../src/bridge/mongo/erasures.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { sleep } from '../../support/mongo.ts'
import { runOperation } from '../../support/operation.ts'
import { connectOperator } from '../../support/operator.ts'
import { readTopics } from '../../support/plain-consumer.ts'
import { world } from '../../support/world.ts'

const here = await world()
await here.start(['projector'])
const operator = await connectOperator(here)
const { db, kafka, mongo, recordAction } = operator
const erasures = mongo.query(erasuresIn)
const folder = temporaryFolder()

const secret = 'CANARY-7f3a'
const visitor = (number: string) => ({ number, chatsCount: 1, name: secret, email: `${secret}@example.com` })
const text = { type: 'TEXT', text: secret, timestamp: at('10:00:00') }
const of = (subject: string, event: DomainEvent) => ({ ...event, subject }) as DomainEvent

/** Chat 2037 and client 1233 are one person. Chat 2038 is another person with the same address. */
const events = [
  anEvent('ChatAccepted', 'e1', at('10:00:00'), {
    visitor: visitor('7'),
    extra: { note: secret, [secret]: { [`${secret}@example.com`]: secret } },
  }),
  anEvent('CallStatusChanged', 'e2', at('10:01:00'), {
    visitor: visitor('7'),
    call: { type: 'incoming', phone: secret, status: 'start' },
  }),
  anEvent('ClientUpdated', 'e3', at('10:02:00'), { visitor: visitor('7') }),
  anEvent('OfflineMessageReceived', 'e4', at('10:03:00'), { visitor: visitor('7'), message: secret }),
  anEvent('ClientMessageReceived', 'e5', at('10:04:00'), { message: text }),
  of('2038', anEvent('ChatAccepted', 'e6', at('10:05:00'), { chatId: '2038', visitor: visitor('8') })),
]
const enrichment = { key: `acme/email:${secret}@example.com`, value: JSON.stringify({ contactInfo: { name: secret } }) }

const dataFolder = join(folder, 'data')
const servers = { accounts: here.accounts, kafka, erasures, retentionDays: 14 as const, dataFolder }

/** Runs a command in this process. */
const run = async (command: 'erase' | 'export', ...args: string[]) => {
  const { code, out, err } = await runOperation([command, ...args], servers, { recordAction })
  return { code, text: [...err, ...out].join('\n') }
}
const receipts = () => db.collection<ErasureDocument>('erasures').find().sort({ requestedAt: 1 }).toArray()

const collections = ['chats', 'calls', 'clients', 'offline_messages', 'conversations', 'sessions', 'timeline']
const stored = async () => {
  const all = await Promise.all([...collections, 'drift'].map((name) => db.collection(name).find().toArray()))
  return all.flat()
}
const telling = async () =>
  (await stored()).flatMap((document) => (JSON.stringify(document).includes(secret) ? [String(document._id)] : []))

const erasing = suite('erase')

erasing.before(async () => {
  for (const event of events) right(await kafka.publish(event, 20_000))
  right(await kafka.append({ topic: 'enrichments', ...enrichment, headers: {} }, 20_000))
  await mongo.query((database) => storeEnrichments(database, sleep))([
    { topic: 'enrichments', partition: 0, offset: 0, key: enrichment.key, value: { contactInfo: { name: secret } } },
  ])
  await eventually('the views', async () => (await db.collection('timeline').countDocuments()) === events.length)
  await eventually('the last chat', async () => (await db.collection('chats').countDocuments()) === 2)
})

erasing('requires a person', async () => {
  const { code, text: said } = await run('erase', '--account', 'acme')
  assert.is(code, 1)
  assert.match(said, /Name the person/)
})

erasing('shows the stored data and who is not included, and a dry run changes nothing', async () => {
  const { code, text: said } = await run('erase', '--account', 'acme', '--client', '1233', '--dry-run')
  assert.is(code, 0)
  assert.match(said, /Chats: 2037\. Clients: 1233\./)
  assert.match(said, /Likely the same person, not included: .*chat 2038.*same email/)
  assert.equal(await receipts(), [])
})

erasing('finds a person by an address in other letters', async () => {
  const address = `${secret}@EXAMPLE.com`.toLowerCase()
  const { code, text: said } = await run('erase', '--account', 'acme', '--email', address, '--dry-run')
  assert.is(code, 0)
  assert.match(said, /Chats: 2037, 2038\. Clients: 1233\./)
})

erasing('does nothing without a confirmation', async () => {
  const { code } = await run('erase', '--account', 'acme', '--client', '1233')
  assert.equal([code, await receipts()], [1, []])
})

erasing('does nothing while the clocks of its host and of MongoDB differ', async () => {
  const serverTime = async () => Date.now() - 3_600_000
  const { code, err } = await runOperation(
    ['erase', '--account', 'acme', '--client', '1233', '--yes'],
    { ...servers, erasures: { ...erasures, serverTime } },
    { recordAction },
  )
  assert.is(code, 1)
  assert.match(err.join(), /Nothing was erased: it is .* here and .* on MongoDB's server/)
  assert.equal(await receipts(), [])
})

erasing('an export before it has everything', async () => {
  const file = join(folder, 'export.json')
  const { code } = await run('export', '--account', 'acme', '--client', '1233', '--out', file)
  const { documents, enrichments } = JSON.parse(readFileSync(file, 'utf8'))
  assert.is(code, 0)
  assert.equal(Object.keys(documents).sort(), [...collections].sort())
  assert.is(documents.timeline.length, 5)
  assert.equal(enrichments, [{ key: enrichment.key, value: { contactInfo: { name: secret } } }])
})

erasing('if it is killed before its markers are written, the same command finishes it', async () => {
  const away = {
    ...kafka,
    publish: async () => ({ _tag: 'Left', left: { kind: 'transient', reason: 'away' } }) as const,
  }
  const args = ['--account', 'acme', '--client', '1233', '--yes', '--by', 'officer']
  const errors: string[] = []
  await runOperation(['erase', ...args], { ...servers, kafka: away }, { recordAction }).catch(
    (error: Error) => void errors.push(error.message),
  )
  assert.match(errors.join(), /Repeat the erasure/)
  assert.equal(
    (await receipts()).map(({ state }) => state),
    ['started'],
  )
  const { code, text: said } = await run('erase', ...args)
  assert.is(code, 0)
  assert.match(said, /was interrupted is finished now/)
  const [receipt, ...others] = await receipts()
  assert.equal([receipt?.state, receipt?.plan, others], ['published', undefined, []])
  const file = join(dataFolder, `erasure-${receipt?._id}.json`)
  assert.is(JSON.parse(readFileSync(file, 'utf8'))._id, receipt?._id)
})

erasing('empties the views of that person, and of no other', async () => {
  await eventually('the markers in timeline', async () => {
    const [receipt] = await receipts()
    return receipt !== undefined && (await erasures.markers(receipt)).length === chatTopics.length + 1
  })
  await eventually('empty documents', async () => (await telling()).every((id) => /2038|e6/.test(id)))
  assert.equal([...(await telling())].sort(), ['acme/2038', 'acme/2038/webhooks/e6'])
  assert.is(await db.collection('chats').countDocuments({ erased: true }), 1)
})

erasing('writes a receipt without names', async () => {
  const [receipt] = await receipts()
  assert.not.ok(/2037|1233|CANARY/.test(JSON.stringify({ ...receipt, found: undefined })))
  assert.is(receipt?.requestedBy, 'officer')
  assert.ok(receipt?.remains.some(({ store, until }) => store === 'event-topics' && until !== undefined))
})

erasing('status shows the remaining data and the confirmations, and does not report it as complete', async () => {
  const [receipt] = await receipts()
  const confirmation = {
    accountId: 'acme',
    erasureId: receipt?._id,
    group: 'warehouse',
    clientId: '1233',
    erasedAt: now(),
  }
  right(
    await kafka.append(
      { topic: 'erasure-confirmations', key: 'acme/1233', value: JSON.stringify(confirmation), headers: {} },
      20_000,
    ),
  )
  const { code, text: said } = await run('erase', 'status')
  assert.is(code, 1)
  assert.match(said, /Confirmed by: warehouse\./)
  const [checked] = await receipts()
  const found = Object.keys(checked?.stillFound ?? {})
  for (const { name } of eventTopics) assert.ok(found.includes(`topic ${name}`), name)
  // No archiver has read the markers.
  for (const { name } of archiveTopics) assert.ok(found.includes(`topic ${name}`), name)
  assert.not.ok(
    found.some((where) => where.startsWith('view') && where !== 'view enrichments'),
    found.join(),
  )
})

erasing('status names an enrichment that was published since then under a key that had none', async () => {
  const fresh = { key: 'acme/visitorNumber:7', value: '{"crmLink":"https://crm.example.com/7"}' }
  right(await kafka.append({ ...fresh, topic: 'enrichments', headers: {} }, 20_000))
  const { text: said } = await run('erase', 'status')
  assert.match(said, /Newer than the erasure:\n(.*\n)* +Details that teams added, in Kafka: 1 newer than the erasure/)
  const [checked] = await receipts()
  assert.is(checked?.publishedSince?.['topic enrichments'], 1)
})

erasing('status keeps a confirmation that breaks its contract as one dead letter', async () => {
  const malformed = JSON.stringify({ accountId: 'acme', group: 'warehouse' })
  right(await kafka.append({ topic: 'erasure-confirmations', key: 'acme/1233', value: malformed, headers: {} }, 20_000))
  for (const _ of ['first', 'again']) assert.match((await run('erase', 'status')).text, /Confirmed by: warehouse\./)
  const { records } = await readTopics(here.brokers, here.prefix, ['dead-letters'])
  assert.equal(
    records.map(({ value, headers }) => [
      `${value}`,
      ...['dl_topic', 'dl_consumer', 'dl_cause', 'dl_detail'].map((name) => `${headers[name]}`),
    ]),
    [
      [
        malformed,
        'erasure-confirmations',
        'erase-status',
        'contract',
        'erasureId: expected text of 1 to 255 characters; erasedAt: expected an RFC 3339 time',
      ],
    ],
  )
})

erasing(
  'an event from before the erasure that arrives later has nothing personal in the views, also of an unknown chat',
  async () => {
    const late = (subject: string, id: string) =>
      of(subject, anEvent('ChatAccepted', id, at('10:06:00'), { chatId: subject, visitor: visitor('7') }))
    const before = (await telling()).sort()
    for (const event of [late('2037', 'late1'), late('2050', 'late2')]) right(await kafka.publish(event, 20_000))
    await eventually('the late events', async () => (await stored()).some(({ _id }) => String(_id) === 'acme/2050'))
    await eventually(
      'both entries',
      async () => (await db.collection('timeline').countDocuments({ time: new Date(at('10:06:00')) })) === 2,
    )
    assert.equal((await telling()).sort(), before)
    assert.is(
      (await db.collection<{ _id: string; erased?: true }>('chats').findOne({ _id: 'acme/2050' }))?.erased,
      true,
    )
  },
)

erasing('erases a chat that the views do not have from log and archive, and refuses an unknown visitor', async () => {
  const file = join(folder, 'unknown.json')
  const rest = ['--account', 'acme', '--yes', '--receipt', file]
  const unknown = await run('erase', ...rest, '--visitor', '999')
  assert.match(unknown.text, /The views have nothing of this person/)
  const { code } = await run('erase', ...rest, '--chat', '9999')
  const { state, markers } = JSON.parse(readFileSync(file, 'utf8'))
  assert.equal([code, state, markers], [0, 'published', chatTopics.length])
})

erasing.after(async () => {
  await operator.stop()
  await here.stop()
})
erasing.run()
