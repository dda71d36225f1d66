import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { newKeyFile } from '../../../src/bridge/archive/key-file.ts'
import { erasuresIn } from '../../../src/bridge/mongo/erasures.ts'
import { silentPersonsIn } from '../../../src/bridge/mongo/silent-persons.ts'
import { startRetaining } from '../../../src/bridge/privacy/retain-days/retain.ts'
import { appendedSinceIn } from '../../../src/bridge/privacy/retain-days/silent-person.ts'
import { sleep } from '../../../src/bridge/shared/time.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { anEvent } from '../../support/given-events.ts'
import { runOperation } from '../../support/operation.ts'
import { connectOperator } from '../../support/operator.ts'
import { readTopics } from '../../support/plain-consumer.ts'
import { world } from '../../support/world.ts'

const here = await world({ retainDays: 30 })
const archiveKeyFile = join(temporaryFolder(), 'keys.json')
writeFileSync(archiveKeyFile, newKeyFile('first'))
const operator = await connectOperator(here)
const { db, kafka, mongo, recordAction } = operator
const silentPersons = mongo.query(silentPersonsIn)

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const secret = 'CANARY-of-a-silent-person'
const visitor = (number: string) => ({ number, chatsCount: 1, name: secret })
const accepted = (chatId: string, number: string, days: number) =>
  ({
    ...anEvent('ChatAccepted', `e${chatId}`, daysAgo(days), { chatId, visitor: visitor(number) }),
    subject: chatId,
  }) as DomainEvent

/** Visitor 1 has not returned. Visitor 2 was here long ago and again yesterday. */
const events = [accepted('11', '1', 40), accepted('12', '1', 31), accepted('21', '2', 40), accepted('22', '2', 1)]
const telling = async () => {
  const found = await db.collection<{ _id: string }>('chats').find().toArray()
  return found.flatMap((each) => (JSON.stringify(each).includes(secret) ? [each._id] : [])).sort()
}
const receipts = () => db.collection<ErasureDocument>('erasures').find().toArray()
const waiting = async () => (await silentPersons.retainStates()).map((state) => state.waiting?.persons ?? 0)

/** Erases persons with short pauses, by other clocks. `rounds` counts the rounds, `troubles` what they met. */
const retainingBy = (clocks: { readonly own?: number; readonly ofMongo?: number }) => {
  const { own = 0, ofMongo = 0 } = clocks
  const seen = { rounds: 0, troubles: new Set<string>() }
  const erasures = mongo.query(erasuresIn)
  const { stop } = startRetaining([{ id: here.account.id, retainDays: 30 }], {
    kafka,
    erasures: { ...erasures, serverTime: async () => (await erasures.serverTime()) + ofMongo },
    silentPersons,
    clock: () => new Date(Date.now() + own),
    sleep: (ms, signal) => sleep(Math.min(ms, 200), signal).finally(() => void seen.rounds++),
    log: { warn: (fields) => void seen.troubles.add(`${Reflect.get(fields, 'reason')}`) },
    reasonOf: (error) => `${error}`,
    recordAction: async () => E.right(undefined),
    viewsAreCurrent: async () => true,
    appendedSince: appendedSinceIn(kafka),
    retention: { retentionDays: 14 },
  })
  return { seen, stop }
}

const retaining = suite('privacy.retainDays')
retaining.after(async () => {
  await operator.stop()
  await here.stop()
})

const projector = await here.start(['projector'])
const ahead = 60 * 86_400_000

retaining.before(async () => {
  for (const event of events) right(await kafka.publish(event, 20_000))
  await eventually('the views', async () => (await telling()).length === 4)
})

for (const clocks of [{ own: ahead }, { ofMongo: ahead }])
  retaining(`nobody is erased while a clock is 60 days ahead: ${JSON.stringify(clocks)}`, async () => {
    const { seen, stop } = retainingBy(clocks)
    await eventually('some rounds', async () => seen.rounds > 3)
    await stop()
    assert.match([...seen.troubles].join(), /^Error: the clocks do not agree: it is .* here and .* on MongoDB's server/)
    assert.equal([(await telling()).length, await receipts()], [4, []])
  })

retaining(
  'nobody is erased whose newest record the broker has received lately: the clock of ingress may be wrong',
  async () => {
    const archiver = await here.start(['archiver'], undefined, { archiveKeyFile })
    await eventually('the person who waits', async () => (await waiting())[0] === 1, 60_000)
    const metrics = await (await fetch(`${archiver.adminUrl}/metrics`)).text()
    assert.match(metrics, 'livechat_erasures_waiting{account="acme"} 1')
    await archiver.stop()
    assert.equal([(await telling()).length, await receipts()], [4, []])
  },
)

retaining('two archivers erase silent persons once, and nobody else', async () => {
  const deleting = await here.start(['archiver'], undefined, { archiveKeyFile, retentionDays: 0.000_01 })
  const isEmpty = async () => [...(await kafka.ranges('chats')).values()].every(({ low, high }) => low === high)
  await eventually('the records to be deleted', isEmpty, 60_000)
  await deleting.stop()
  const archivers = await Promise.all([1, 2].map(() => here.start(['archiver'], undefined, { archiveKeyFile })))
  await eventually('the erasure', async () => (await telling()).length === 2, 90_000)
  for (const archiver of archivers) await archiver.stop()
  assert.equal(await telling(), ['acme/21', 'acme/22'])
  assert.equal(
    (await receipts()).map(({ requestedBy, state, markers }) => [requestedBy, state, markers]),
    [['privacy.retainDays', 'published', 8]],
  )
  const { records } = await readTopics(here.brokers, here.prefix, ['chats', 'audit'])
  const erased = records.filter(({ headers }) => `${headers.ce_type}`.startsWith('livechat.ChatErased'))
  assert.equal(erased.map(({ key }) => `${key}`).sort(), ['acme/11', 'acme/12'])
  const actions = records.flatMap(({ topic, value }) => (topic === 'audit' ? [JSON.parse(`${value}`)] : []))
  assert.equal(
    actions.map(({ action, who, accountId }) => [action, who, accountId]),
    [['erase', 'privacy.retainDays', 'acme']],
  )
})

retaining('more than 20 persons wait, until an operator releases them', async () => {
  const persons = Array.from({ length: 21 }, (_, i) => accepted(`5${i}`, `5${i}`, 35))
  for (const event of persons) right(await kafka.publish(event, 20_000))
  await eventually('their chats', async () => (await telling()).length === 23)
  // The broker agrees: these are the only records, and it has received them before the time from which persons count.
  const process = retainingBy({ own: 31 * 86_400_000, ofMongo: 31 * 86_400_000 })
  await eventually('the persons who wait', async () => ((await waiting())[0] ?? 0) > 20)
  const { rounds } = process.seen
  await eventually('some rounds', async () => process.seen.rounds > rounds + 3)
  assert.is((await telling()).length, 23)

  const args = ['erase', 'release', '--account', 'acme', '--yes', '--by', 'officer']
  const { code, out, err } = await runOperation(
    args,
    { silentPersons: silentPersons, accounts: here.accounts },
    { recordAction },
  )
  assert.is(code, 0, err.join('\n'))
  assert.match(out[0] ?? '', /^acme: 2\d persons have had no event since before .*at most 20 are erased in a day/)
  await eventually('the erasure', async () => (await telling()).length === 0, 60_000)
  await process.stop()
  assert.equal(await waiting(), [0])
  const { records } = await readTopics(here.brokers, here.prefix, ['audit'])
  const actions = records.map(({ value }) => JSON.parse(`${value}`))
  assert.match(actions.find(({ who }) => who === 'operator@test')?.detail, 'erase release, without-an-event-since')
  await projector.stop()
})

retaining.run()
