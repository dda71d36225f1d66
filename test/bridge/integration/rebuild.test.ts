import { deepStrictEqual as same } from 'node:assert'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import { decodeRecord } from '../../../src/bridge/kafka/records.ts'
import { readDay } from '../../../src/bridge/mongo/stats-recompute.ts'
import { actionRecorder } from '../../../src/bridge/operations/audit.ts'
import type { Asked } from '../../../src/bridge/operations/rebuild/rebuild.ts'
import type { RebuildDeps, Row } from '../../../src/bridge/operations/rebuild/replay.ts'
import { dayMs, sleep } from '../../../src/bridge/shared/time.ts'
import { changesOf } from '../../../src/bridge/views/changes.ts'
import { topicsOfViews, viewNames } from '../../../src/bridge/views/index.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent } from '../../support/given-events.ts'
import { asFolded, memoryViews } from '../../support/memory-views.ts'
import { connectOperator } from '../../support/operator.ts'
import { interrupting, runRebuild } from '../../support/rebuild.ts'
import { world } from '../../support/world.ts'

const here = await world()
await here.start(['projector'])
const operator = await connectOperator(here)
const { db, kafka } = operator
/** Without `audit`, because each rebuild adds a document to it. */
const folded = viewNames.filter((view) => !view.startsWith('daily_stats') && view !== 'audit')
/** Without `asOf` and `nextAt` of daily_stats, because they differ after each computation. */
const all = async (name: string) => {
  const found = db.collection<{ _id: string }>(name).find({}, { projection: { asOf: 0, nextAt: 0 } })
  return (await found.sort({ _id: 1 }).toArray()).map(asFolded)
}

let said: string[] = []
let rows: ReadonlyArray<Row> = []
/** Runs a rebuild. Its output is in `said` and `rows`. */
const rebuild = async (asked: Partial<Asked>, more: Partial<RebuildDeps> = {}, from = operator): Promise<number> => {
  const done = await runRebuild(from, asked, more)
  said = done.said
  rows = done.rows
  return done.code
}

let published = 0
/** Eight events of a chat and its visitor. The delivery of the bot's reply is published twice, under the same id. */
const eventsOf = (chat: number): ReadonlyArray<DomainEvent> => {
  const second = () => new Date(Date.UTC(2026, 0, 30 + (chat % 4)) + published++ * 1000).toISOString()
  const of = (id: string, type: DomainEvent['type'], part: object = {}): DomainEvent => {
    const subject = type === 'ClientUpdated' ? `${chat % 7}` : `${chat}`
    const ids = type === 'ClientUpdated' ? { clientId: subject } : { chatId: subject }
    return { ...anEvent(type, `${id}-${chat}`, second(), { ...ids, ...part }), subject } as DomainEvent
  }
  return [
    of('a', 'ChatAccepted'),
    of('b', 'ClientMessageReceived'),
    of('c', 'BotReplyDelivered', { commandId: `r${chat}`, inReplyTo: `b-${chat}` }),
    of('c', 'BotReplyDelivered', { commandId: `r${chat}`, inReplyTo: `b-${chat}` }),
    of('d', 'CallStatusChanged'),
    of('e', 'ClientUpdated'),
    of('f', 'OfflineMessageReceived', { offlineMessageId: `o${chat}` }),
    of('g', 'ChatFinished'),
  ]
}
const command = (chat: number) =>
  ({ type: 'InviteAgent', id: `r${chat}`, accountId: 'acme', chatId: `${chat}`, clientId: '1233' }) as BotReply
const publish = async (chat: number): Promise<void> => {
  const value = JSON.stringify(command(chat))
  const sent = [
    kafka.append({ topic: 'bot-replies', key: `acme/${chat}`, value, headers: {} }, 20_000),
    ...eventsOf(chat).map((event) => kafka.publish(event, 20_000)),
  ]
  for (const each of await Promise.all(sent)) right(each)
}
const publishAll = (from: number, to: number) =>
  Promise.all(Array.from({ length: to - from }, (_, i) => publish(from + i)))

/** A plain fold of all records of the log. */
const fold = async () => {
  const { applyChanges, documents } = memoryViews()
  for (const topic of topicsOfViews(viewNames))
    right(
      await kafka.readTopic(topic, async (records) => {
        for (const record of records) await applyChanges(changesOf(record, right(decodeRecord(record))))
      }),
    )
  const entries = Object.entries(documents())
  return Object.fromEntries(
    folded.map((view) => [
      view,
      Object.fromEntries(entries.flatMap(([key, it]) => (key.startsWith(`${view} `) ? [[it._id, it]] : []))),
    ]),
  )
}
const stored = async () =>
  Object.fromEntries(
    await Promise.all(
      folded.map(async (view) => [view, Object.fromEntries((await all(view)).map((it) => [it._id, it]))] as const),
    ),
  )
/** Resolves when the projector has handled all records and computed the statistics. */
const settled = () =>
  eventually(
    'the projector to be at the end',
    async () => {
      for (const topic of topicsOfViews(viewNames)) {
        const [ends, committed] = [await kafka.endOffsets(topic), await kafka.committedOffsets('projector', topic)]
        for (const [partition, end] of ends) if (end > (committed.get(partition) ?? 0)) return undefined
      }
      return (await db.collection('stats_due').countDocuments()) === 0 || undefined
    },
    120_000,
  )
const isRight = async () => {
  await settled()
  const [now_, expected] = [await stored(), await fold()]
  for (const view of folded) same(now_[view], expected[view], view)
  const days = async () => {
    for (const { _id } of await all('daily_stats')) {
      const { live, rebuilt } = await readDay(db, () => 'UTC', _id)
      same(live, rebuilt)
    }
  }
  // An empty day may exist while it is computed.
  await eventually('the days to be right', () =>
    days().then(
      () => true,
      () => undefined,
    ),
  ).catch(days)
}
const unfinishedHandlers = async () => {
  const names = (await db.listCollections().toArray()).map(({ name }) => name)
  return [...names.filter((name) => name.includes('__')), ...(await all('rebuilds'))]
}
/** Damage of every kind. */
const damage = async () => {
  const chats = db.collection<{ _id: string }>('chats')
  await chats.updateOne({ _id: 'acme/1' }, { $set: { state: 'open', 'visitor.name': 'Mallory' } })
  await chats.deleteOne({ _id: 'acme/2' })
  await chats.insertOne({ _id: 'acme/nonsense' })
  await db.collection('timeline').drop()
  await db.collection<{ _id: string }>('calls').updateMany({}, { $set: { applied: { 'calls/0': 1_000_000 } } })
  await db.collection('conversations').deleteMany({})
  await db.collection<{ _id: string }>('daily_stats').updateMany({}, { $set: { offlineMessages: 99 } })
  await db.collection('daily_stats').replaceOne({ _id: 'acme/2020-02-02' as never }, {}, { upsert: true })
}

const rebuilding = suite('a rebuild')
rebuilding.after(async () => {
  await operator.stop()
  await here.stop()
})

await publishAll(0, 150)
await settled()

rebuilding('of all views repairs what was damaged, wiped or planted, and leaves nothing behind', async () => {
  await isRight()
  const before = [await stored(), await all('daily_stats')]
  await damage()
  assert.is(await rebuild({ views: viewNames }), 0, said.join('\n'))
  same([await stored(), await all('daily_stats')], before)
  assert.equal(await unfinishedHandlers(), [])
  for (const line of [
    'chats: 150 documents, the live view has 150: as many',
    'timeline: 1,050 documents, the live view has 0: 1,050 more',
  ])
    assert.ok(said.includes(line), `${line} is not in\n${said.join('\n')}`)
})

rebuilding('of one view leaves the others alone', async () => {
  await db.collection('clients').deleteMany({})
  await db.collection('calls').deleteMany({})
  assert.is(await rebuild({ views: ['clients'] }), 0)
  assert.equal([(await all('clients')).length, await all('calls')], [7, []])
  assert.is(await rebuild({ views: ['calls'] }), 0)
  await isRight()
})

rebuilding('of daily_stats computes every day again', async () => {
  const before = await all('daily_stats')
  await db.collection('daily_stats').deleteMany({})
  assert.is(await rebuild({ views: ['daily_stats'] }), 0)
  same(await all('daily_stats'), before)
})

rebuilding('with a dry run finds nothing if nothing is wrong', async () => {
  assert.is(await rebuild({ views: viewNames, dryRun: true }), 0, said.join('\n'))
  assert.ok(said.includes('chats: 150 documents are the same'))
  assert.equal(await unfinishedHandlers(), [])
})

rebuilding('with a dry run names differences by ids and fields, and changes nothing', async () => {
  await damage()
  const before = [await stored(), await all('daily_stats')]
  assert.is(await rebuild({ views: viewNames, dryRun: true }), 1)
  same([await stored(), await all('daily_stats')], before)
  for (const line of [
    'chats: 148 documents are the same, 3 are different',
    '  acme/1: state, visitor.name',
    '  acme/2: the live view lacks it',
    '  acme/nonsense: only the live view has it',
    'calls: 0 documents are the same, 150 are different',
    'timeline: 0 documents are the same, 1,050 are different',
    '  and 1,030 more',
    '  acme/2020-02-02: only the live view has it',
  ])
    assert.ok(said.includes(line), `${line} is not in\n${said.join('\n')}`)
  assert.not.match(said.join('\n'), 'Mallory')
  assert.equal(
    rows.find(({ view }) => view === 'chats'),
    {
      view: 'chats',
      same: 148,
      different: 3,
      older: 0,
      crowded: 0,
      moving: 0,
      examples: [
        { id: 'acme/1', what: ['state', 'visitor.name'] },
        { id: 'acme/2', what: 'only rebuilt' },
        { id: 'acme/nonsense', what: 'only live' },
      ],
    },
  )
  assert.equal(await unfinishedHandlers(), [])
})

rebuilding('that was interrupted is reported, and can be resumed', async () => {
  // Of the damaged views above.
  const before = await stored()
  assert.is(await rebuild({ views: folded }, interrupting()), 1)
  assert.match(said.at(-1) ?? '', 'Stopped: interrupted. To continue it')
  same(await stored(), before)

  assert.is(await rebuild({ views: ['chats'] }), 1)
  assert.match(said.at(-1) ?? '', /A rebuild of chats, .* was interrupted. To continue it: .*--resume; .*--discard/)
  assert.is(await rebuild({ views: ['chats'], resume: true }), 1)
  assert.match(said.at(-1) ?? '', 'The interrupted rebuild is of chats, ')

  assert.is(await rebuild({ resume: true }), 0, said.join('\n'))
  await isRight()
  assert.equal(await unfinishedHandlers(), [])
  assert.is(await rebuild({ resume: true }), 1)
})

rebuilding('that has no records for a view is refused unless it is forced', async () => {
  await db.collection<{ _id: string }>('chats').deleteMany({})
  await db.collection<{ _id: string }>('chats').insertOne({ _id: 'acme/planted' })
  const other = await connectOperator({ ...here, prefix: `${here.prefix}other.` })
  right(await other.kafka.ensureTopics())
  const empty = { ...operator, kafka: other.kafka }
  assert.is(await rebuild({ views: ['chats'] }, {}, empty), 1)
  assert.match(said.at(-1) ?? '', 'of the deleted topic: the records from 0 to')
  assert.is(await rebuild({ discard: true }, {}, empty), 0)

  // Nobody knows any more from which topics the views are made.
  const topicsRead = db.collection<{ _id: string }>('topics_read')
  const known = await topicsRead.findOneAndDelete({ _id: 'views' })
  assert.is(await rebuild({ views: ['chats'] }, {}, empty), 1)
  assert.match(said.at(-1) ?? '', 'Refused: the log has nothing for chats')
  assert.is((await all('chats')).length, 1)
  assert.is(await rebuild({ resume: true, force: true }, {}, empty), 0)
  assert.equal(await all('chats'), [])
  await other.stop()
  if (known !== null) await topicsRead.insertOne(known)
  assert.is(await rebuild({ views: ['chats'] }), 0)
  await isRight()
})

rebuilding('of a view without records in a complete log is done', async () => {
  // An entry of a person who was the only one with an unknown field and was erased after that.
  await db.collection<{ _id: string }>('drift').insertOne({ _id: 'acme/unknown-field/webhooks/chat_accepted/note' })
  assert.is(await rebuild({ views: ['drift'] }), 0, said.join('\n'))
  assert.equal(await all('drift'), [])
})

rebuilding('of audit repairs what its topic has, and keeps what only the view has', async () => {
  const record = async (daysAgo: number) => {
    const at = new Date(Date.now() - daysAgo * dayMs).toISOString() as Instant
    right(await actionRecorder(kafka.append, () => at, 'officer@test')({ action: 'export', command: 'export' }))
    await settled()
  }
  const forgetAll = async () => kafka.deleteBefore('audit', await kafka.endOffsets('audit'))
  await record(401)
  await forgetAll()
  await record(1)
  const before = await all('audit')
  assert.is(before.length, 2)

  assert.is(await rebuild({ views: ['audit'], dryRun: true }), 0, said.join('\n'))
  const older = '1 is older than the records that topics keep, and not compared'
  assert.ok(said.includes(`audit: 1 document is the same, ${older}`), said.join('\n'))
  await db
    .collection('audit')
    .updateOne({ at: { $gt: new Date(Date.now() - 2 * dayMs) } }, { $set: { who: 'Mallory' } })
  assert.is(await rebuild({ views: ['audit'] }), 0, said.join('\n'))
  same(await all('audit'), before)

  await forgetAll()
  assert.is(await rebuild({ views: ['audit'] }), 0, said.join('\n'))
  same(await all('audit'), before)
  assert.is(await rebuild({ views: ['audit'], dryRun: true }), 1)
  assert.ok(
    said.some((line) => line.endsWith(': only the live view has it')),
    said.join('\n'),
  )
  await db.collection('audit').deleteMany({})
})

rebuilding('that was interrupted can be discarded', async () => {
  assert.is(await rebuild({ views: viewNames, dryRun: true }, interrupting()), 1)
  assert.is.not((await unfinishedHandlers()).length, 0)
  assert.is(await rebuild({ discard: true }), 0)
  assert.equal([said, await unfinishedHandlers()], [['Discarded.'], []])
  assert.is(await rebuild({ discard: true }), 0)
  await isRight()
})

rebuilding('under concurrent writes, by two bridges, loses nothing', async () => {
  const second = await here.start(['projector'])
  await damage()
  let running = true
  let chat = 150
  const publishing = (async () => {
    // Publishes new chats, and more events of existing ones.
    while (running) {
      await Promise.all([publish(chat), publish(chat % 40), publish((chat * 7) % 40)])
      chat++
      // The rebuild must be faster than this, also on a slow machine.
      await sleep(100)
    }
  })()
  const codes = []
  for (let i = 0; i < 2; i++) {
    codes.push(await rebuild({ views: viewNames }))
    assert.ok(
      said.some((line) => line.startsWith('Swapped')),
      said.join('\n'),
    )
  }
  running = false
  await publishing
  assert.equal(codes, [0, 0])
  assert.ok(chat > 160, `${chat} chats`)
  await isRight()
  await second.stop()
})

rebuilding.run()
