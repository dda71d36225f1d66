import { deepStrictEqual as same } from 'node:assert'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { erasuresIn } from '../../../src/bridge/mongo/erasures.ts'
import type { Asked } from '../../../src/bridge/operations/rebuild/rebuild.ts'
import type { RebuildDeps } from '../../../src/bridge/operations/rebuild/replay.ts'
import { sleep } from '../../../src/bridge/shared/time.ts'
import { foldedViews, type ViewName } from '../../../src/bridge/views/index.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { asFolded } from '../../support/memory-views.ts'
import { runOperation } from '../../support/operation.ts'
import { connectOperator } from '../../support/operator.ts'
import { interrupting, runRebuild } from '../../support/rebuild.ts'
import { world } from '../../support/world.ts'

const here = await world()
await here.start(['projector'])
const operator = await connectOperator(here)
const { db, kafka, mongo, recordAction } = operator
const folder = temporaryFolder()
/** Without `audit`, because each rebuild adds a document to it. */
const views: ReadonlyArray<ViewName> = foldedViews.flatMap(({ name }) => (name === 'audit' ? [] : [name]))

const secretOf = (chat: number) => `CANARY-${chat}`
/** A chat with personal data in each view. */
const eventsOf = (chat: number): ReadonlyArray<DomainEvent> => {
  const secret = secretOf(chat)
  const visitor = { number: `7${chat}`, chatsCount: 1, name: secret, email: `${secret}@example.com` }
  const of = (type: DomainEvent['type'], second: number, part: object): DomainEvent => {
    const ids = type === 'ClientUpdated' ? { clientId: `1${chat}` } : { chatId: `${chat}`, clientId: `1${chat}` }
    const subject = type === 'ClientUpdated' ? `1${chat}` : `${chat}`
    return { ...anEvent(type, `${type}-${chat}`, at(`10:00:0${second}`), { ...ids, ...part }), subject } as DomainEvent
  }
  return [
    of('ChatAccepted', 0, { visitor }),
    of('CallStatusChanged', 1, { visitor, call: { type: 'incoming', phone: secret, status: 'start' } }),
    of('ClientUpdated', 2, { visitor }),
    of('OfflineMessageReceived', 3, { visitor, message: secret, offlineMessageId: `o${chat}` }),
    of('ClientMessageReceived', 4, { message: { type: 'TEXT', text: secret, timestamp: at('10:00:04') } }),
  ]
}

const telling = async (secret: string): Promise<ReadonlyArray<string>> => {
  const names = (await db.listCollections({ type: 'collection' }).toArray()).map(({ name }) => name)
  const found = names.map(async (name) => {
    const documents = await db.collection(name).find().toArray()
    return JSON.stringify(documents).includes(secret) ? [name] : []
  })
  return (await Promise.all(found)).flat().sort()
}
const rebuilt = async () =>
  (await db.listCollections().toArray()).flatMap(({ name }) => (/__(rebuild|swap)_/.test(name) ? [name] : []))
const stored = async () => {
  const all = views.map(async (name) => {
    const found = await db.collection<{ _id: string }>(name).find().sort({ _id: 1 }).toArray()
    return [name, found.map(asFolded)] as const
  })
  return Object.fromEntries(await Promise.all(all))
}

let said: ReadonlyArray<string> = []
const rebuild = async (asked: Partial<Asked>, more: Partial<RebuildDeps> = {}): Promise<number> => {
  const done = await runRebuild(operator, asked, more)
  said = done.said
  return done.code
}
/** Interrupts a rebuild when it has read everything, before the swap. */
const interrupted = async (asked: Partial<Asked>) => {
  const whenAllIsRead = interrupting(({ done, total }) => done >= total)
  assert.is(await rebuild({ views, ...asked }, whenAllIsRead), 1, said.join('\n'))
}

const erase = async (...args: ReadonlyArray<string>) => {
  const servers = { accounts: here.accounts, kafka, erasures: mongo.query(erasuresIn), retentionDays: 14 as const }
  const { code, out, err } = await runOperation(['erase', ...args], servers, { recordAction })
  return { code, text: [...out, ...err].join('\n') }
}
const receipts = () => db.collection<ErasureDocument>('erasures').find().sort({ requestedAt: 1 }).toArray()
const person = (chat: number) => [
  ...['--account', 'acme', '--chat', `${chat}`, '--yes'],
  ...['--receipt', join(folder, `${chat}.json`)],
]
const markersProcessed = async () => {
  const receipt = (await receipts()).at(-1)
  return receipt !== undefined && (await mongo.query(erasuresIn).markers(receipt)).length === receipt.markers
}

const erasing = suite('erasure and rebuild')

erasing.before(async () => {
  const events = [1, 2, 3, 4].flatMap(eventsOf)
  for (const event of events) right(await kafka.publish(event, 20_000))
  await eventually('the views', async () => (await db.collection('timeline').countDocuments()) === events.length)
})

erasing('an interrupted rebuild, its dry run and a left collection keep nothing of the person', async () => {
  for (const [chat, asked] of [[1, {}] as const, [2, { dryRun: true }] as const]) {
    await interrupted(asked)
    const collections = await rebuilt()
    const copies = (await telling(secretOf(chat))).filter((name) => collections.includes(name))
    assert.is(copies.length, 6, `the control: ${copies.join()}`)
    // A writer that was frozen while its rebuild ended writes once more.
    const left = { _id: `acme/${chat}`, accountId: 'acme', chatId: `${chat}`, visitor: { name: secretOf(chat) } }
    await db.collection<{ _id: string }>('chats__rebuild_0123456789ab').insertOne(left)
    // A chat of the person that only the rebuild has.
    await db.collection<{ _id: string }>('chats').deleteOne({ _id: `acme/${chat}` })

    assert.is((await erase(...person(chat))).code, 0)
    await eventually('the markers', markersProcessed)
    assert.equal(await telling(secretOf(chat)), [])
    assert.equal((await rebuilt()).sort(), collections.sort())
    const found = (await receipts()).at(-1)?.found ?? {}
    for (const name of copies) assert.ok((found[name] ?? 0) > 0, `${name} is not in ${JSON.stringify(found)}`)
    if ('dryRun' in asked) await rebuild({ discard: true })
    else {
      assert.is(await rebuild({ resume: true }), 0, said.join('\n'))
      assert.equal(await telling(secretOf(chat)), [])
      const resumed = await stored()
      assert.is(await rebuild({ views }), 0, said.join('\n'))
      same(resumed, await stored())
    }
  }
})

erasing('a rebuild that runs while a person is erased does not bring the person back', async () => {
  let erased: ReturnType<typeof erase> | undefined
  const sleeping: typeof sleep = async (ms, signal) => {
    erased ??= erase(...person(3))
    await erased
    await sleep(ms, signal)
  }
  assert.is(await rebuild({ views }, { sleep: sleeping }), 0, said.join('\n'))
  assert.is((await erased)?.code, 0)
  assert.equal(await telling(secretOf(3)), [])
})

erasing('a copy that somebody made by hand stays, and status names it until it is gone', async () => {
  await db
    .collection('chats')
    .aggregate([{ $out: 'chats_old' }])
    .toArray()
  assert.is((await erase(...person(4))).code, 0)
  await eventually('the markers', markersProcessed)
  assert.equal(await telling(secretOf(4)), ['chats_old'])
  const id = (await receipts()).at(-1)?._id ?? ''
  assert.match((await erase('status', id)).text, /Copy of a view: chats_old: 1 document still found/)
  await db.collection('chats_old').drop()
  assert.not.match((await erase('status', id)).text, 'chats_old')
})

erasing.after(async () => {
  await operator.stop()
  await here.stop()
})
erasing.run()
