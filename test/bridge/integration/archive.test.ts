import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BSON } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { archiveTopics, eventTopics, type TopicName } from '../../../contracts/topics.ts'
import { createMetrics } from '../../../src/app/metrics.ts'
import { startRetention } from '../../../src/app/roles/retention.ts'
import { createLog } from '../../../src/app/telemetry.ts'
import { dataKeys } from '../../../src/bridge/archive/data-keys.ts'
import { countWrappedWith, newKeyFile, readKeys } from '../../../src/bridge/archive/key-file.ts'
import { restorer } from '../../../src/bridge/archive/restore.ts'
import { fromRecord } from '../../../src/bridge/kafka/records.ts'
import { archiveKeysIn } from '../../../src/bridge/mongo/archive-keys.ts'
import { foldedOf, viewNames } from '../../../src/bridge/views/index.ts'
import { command as bridgeCommand, runCommand } from '../../support/command.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent } from '../../support/given-events.ts'
import { asFolded } from '../../support/memory-views.ts'
import { connectOperator } from '../../support/operator.ts'
import { readTopics, withAdmin } from '../../support/plain-consumer.ts'
import { runRebuild } from '../../support/rebuild.ts'
import { world } from '../../support/world.ts'

const here = await world()
const folder = mkdtempSync(join(tmpdir(), 'livechat-archive-'))
const archiveKeyFile = join(folder, 'keys.json')
const keyText = newKeyFile('first')
writeFileSync(archiveKeyFile, keyText)

const operator = await connectOperator(here)
const { db, kafka, mongo } = operator
const archiveKeys = mongo.query(archiveKeysIn)
const restore = () => restorer(dataKeys(archiveKeys, right(readKeys(keyText))))

const chats = 12
const canary = 'canary of a person'
const text = { type: 'TEXT', text: canary, timestamp: '2026-01-31T10:00:00.000Z' }
const visitor = { number: '1', chatsCount: 1, name: canary, email: `${canary}@example.com` }

const eventsOf = (chat: number): ReadonlyArray<DomainEvent> => {
  const of = (id: string, type: DomainEvent['type'], part: object = {}): DomainEvent => {
    const subject = `${chat}`
    const ids = type === 'ClientUpdated' ? { clientId: subject } : { chatId: subject }
    return {
      ...anEvent(type, `${id}-${chat}`, '2026-01-31T10:00:00.000Z', { ...ids, ...part }),
      subject,
    } as DomainEvent
  }
  return [
    of('a', 'ChatAccepted', { visitor, extra: { note: canary } }),
    of('b', 'ClientMessageReceived', { message: text }),
    of('c', 'BotReplyDelivered', { commandId: `r${chat}`, message: text }),
    of('d', 'CallStatusChanged', { visitor }),
    of('e', 'ClientUpdated', { visitor }),
    of('f', 'OfflineMessageReceived', { offlineMessageId: `o${chat}`, message: canary, visitor }),
    of('g', 'ChatFinished', { visitor }),
  ]
}
const publishAll = async (from: number, to: number) => {
  for (let chat = from; chat < to; chat++)
    await Promise.all(eventsOf(chat).map(async (event) => right(await kafka.publish(event, 10_000))))
}

/** The documents of the folded views as BSON. Statistics are missing: they contain the time of their computation. */
const documents = async () => {
  const all = await Promise.all(
    foldedOf(viewNames).map(async (view) => {
      const found = await db.collection(view).find({}).sort({ _id: 1 }).toArray()
      return [
        view,
        found.map((document) => Buffer.from(BSON.serialize(asFolded(document))).toString('base64')),
      ] as const
    }),
  )
  return Object.fromEntries(all)
}
const recordsIn = async (
  topics: ReadonlyArray<{ readonly name: (typeof eventTopics | typeof archiveTopics)[number]['name'] }>,
) => {
  const ranges = await Promise.all(topics.map(({ name }) => kafka.ranges(name)))
  return ranges.flatMap((of) => [...of.values()]).reduce((sum, { low, high }) => sum + high - low, 0)
}
const folds = () =>
  eventually('the views to have everything', async () => {
    const known = await Promise.all(
      eventTopics.map(
        async ({ name }) => [await kafka.ranges(name), await kafka.committedOffsets('projector', name)] as const,
      ),
    )
    return known.every(([ranges, done]) => [...ranges].every(([p, { high }]) => high === 0 || done.get(p) === high))
  })

const rebuild = (withKeys: boolean, dryRun = false, force = false) =>
  runRebuild(operator, { views: viewNames, dryRun, force }, { restore: withKeys ? restore() : undefined })
const discard = () => runRebuild(operator, { discard: true })
const reasonOf = async (url: string, check: string) => {
  const { checks } = (await (await fetch(`${url}/readyz`)).json()) as { checks: Record<string, { reason: string }> }
  return checks[check]?.reason
}

const startArchiving = () => here.start(['projector', 'archiver'], undefined, { retentionDays: 1e-5, archiveKeyFile })
let archiving: Awaited<ReturnType<typeof startArchiving>> | undefined

const archive = suite('the archive')
archive.after(async () => {
  await operator.stop()
  await here.stop()
  rmSync(folder, { recursive: true })
})

archive('without an archiver nothing is deleted, and a process reports old records', async () => {
  const bridge = await here.start(['projector'], undefined, { retentionDays: 1e-5 })
  await publishAll(0, chats)
  await folds()
  await eventually('old records', async () =>
    /24 of bot-conversations/.test(`${await reasonOf(bridge.adminUrl, 'retention')}`),
  )
  assert.is(await recordsIn(eventTopics), 7 * chats)
  await bridge.stop()
})

archive(
  'the archiver deletes archived old records; the archive has each record, without readable personal data',
  async () => {
    archiving = await startArchiving()
    await eventually('deletion', async () => (await recordsIn(eventTopics)) === 0)
    assert.is(await recordsIn(archiveTopics), 7 * chats)
    for (const { name } of archiveTopics)
      right(
        await kafka.readTopic(name, async (records) => {
          for (const { value } of records) assert.not.match(String(value), /canary/)
        }),
      )
  },
)

archive('a rebuild reads archive and topics as one log: the documents are the same, byte for byte', async () => {
  await publishAll(chats, chats + 3)
  await folds()
  const before = await documents()
  const [first, second] = [await rebuild(true), await rebuild(true)]
  assert.equal([first.code, second], [0, first])
  assert.equal(await documents(), before)
  const { said } = await rebuild(true, true)
  assert.is(said.at(-1), 'There is no difference, and nothing was changed.')
})

archive('without the keys a rebuild stops, says why, and changes nothing', async () => {
  await eventually('deletion', async () => (await recordsIn(eventTopics)) === 0)
  const before = await documents()
  const { code, said } = await rebuild(false)
  assert.is(code, 1)
  assert.match(String(said.at(-1)), /its first records are only in the archive, and ARCHIVE_KEY_FILE is not set/)
  assert.equal(await documents(), before)
  await discard()
})

archive('an erasure destroys only the data key of its record key, and later events have a new one', async () => {
  const id = 'bot-conversations/acme/3'
  const keyOf = async () => (await archiveKeys.find([id])).get(id)
  const before = await keyOf()
  // The events are newer than this erasure. So those that come again after it are kept, also if an archiver that starts
  // later stores the receipt that this marker lacks.
  const marker = anEvent('ChatErased', 'x1', '2026-01-31T09:00:00.000Z', {
    chatId: '3',
    topic: 'bot-conversations',
    erasureId: 'e1',
  })
  right(await kafka.publish({ ...marker, subject: '3' } as DomainEvent, 10_000))
  await publishAll(3, 4)
  const after = await eventually('a new key', async () => {
    const key = await keyOf()
    return key?.erased !== undefined && key.kid !== undefined && key
  })
  assert.equal(after.erasedKids, [before?.kid])
  assert.is.not(after.kid, before?.kid)
  assert.equal(
    (await archiveKeys.find(['bot-conversations/acme/4'])).get('bot-conversations/acme/4')?.erased,
    undefined,
  )
})

const command = (...args: ReadonlyArray<string>) =>
  runCommand(['archive', ...args], {
    KAFKA_BROKERS: here.brokers.join(','),
    MONGODB_URL: here.mongo.url,
    TOPIC_PREFIX: here.prefix,
    ARCHIVE_KEY_FILE: archiveKeyFile,
  })
const replay = (...args: ReadonlyArray<string>) => command('replay', ...args)
const replayed = `${here.prefix.slice(0, -1)}-replayed`

archive('a replay writes the archive into its own topic, without the data of erased persons', async () => {
  const topic = 'bot-conversations'
  const archived = async () =>
    [...(await kafka.ranges(`archive-${topic}`)).values()].reduce((sum, { low, high }) => sum + high - low, 0)
  await eventually('the archive', async () => (await archived()) === 2 * (chats + 3) + 3)
  const { code, out, err } = await replay(topic, '--into', replayed, '--json')
  assert.is(code, 0, err)
  const { continueAt, ...told } = JSON.parse(out)
  assert.equal(told, {
    topic: `${here.prefix}${topic}`,
    into: replayed,
    partitions: 4,
    retentionDays: 7,
    records: 2 * (chats + 3) + 3,
    leftOut: 0,
    corrupt: 0,
  })
  const ends = [...(await kafka.ranges(topic))].filter(([, { high }]) => high > 0)
  assert.equal(continueAt, Object.fromEntries(ends.map(([partition, { high }]) => [partition, high])))

  const { records } = await readTopics(here.brokers, replayed, ['' as TopicName])
  const known = (await readTopics(here.brokers, here.prefix, ['archive-bot-conversations'])).records
  const partitionOf = new Map(known.map(({ key, partition }) => [`${key}`, partition]))
  const said = Map.groupBy(records, ({ key }) => `${key}`)
  for (const { key, partition } of records) assert.is(partition, partitionOf.get(`${key}`))
  const [first, second] = eventsOf(5).flatMap(({ id, data }) =>
    id.startsWith('b') || id.startsWith('c') ? [{ id, value: JSON.stringify(data) }] : [],
  )
  assert.equal(
    said.get('acme/5')?.map(({ headers, value }) => ({ id: `${headers.ce_id}`, value: `${value}` })),
    [first, second],
  )
  const erased = said.get('acme/3') ?? []
  assert.equal(
    erased.map(({ headers, value }) => [`${headers.ce_id}`, `${value}`.includes(canary)]),
    ['b-3', 'c-3', 'x1', 'b-3', 'c-3'].map((id, i) => [id, i > 2]),
  )
  // Consumers can still decode these records.
  for (const record of records) right(fromRecord({ ...record, topic }))
  const config = await withAdmin(here.brokers, (admin) =>
    admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name: replayed }] }),
  )
  const entries = config.resources[0]?.configEntries ?? []
  assert.is(entries.find(({ configName }) => configName === 'retention.ms')?.configValue, String(7 * 86_400_000))
  const audited = (await readTopics(here.brokers, here.prefix, ['audit'])).records
  assert.equal(
    audited.map(({ value }) => JSON.parse(`${value}`)).map(({ action, detail }) => [action, detail]),
    [['replay', `archive replay ${topic}, into ${replayed}`]],
  )
})

archive('a replay does not write into an existing topic, nor into one of the bridge', async () => {
  const results = [
    await replay('chats', '--into', `${here.prefix}calls`),
    await replay('chats', '--into', replayed),
    await replay('chats', '--into', `${replayed}-none`, '--from', '2099-01-01', '--json'),
  ]
  assert.equal(
    results.map(({ code }) => code),
    [1, 1, 0],
  )
  assert.match(String(results[0]?.err), /is a topic of the bridge/)
  assert.match(String(results[1]?.err), /Give a new name/)
  assert.is(JSON.parse(String(results[2]?.out)).records, 0)
})

archive(
  'an archiver appends markers to the used partitions of enrichments, and no reader treats them as records',
  async () => {
    const enrichment = {
      topic: 'enrichments',
      key: 'acme/clientId:1',
      value: '{"enableAssign":true}',
      headers: {},
    } as const
    right(await kafka.append(enrichment, 10_000))
    const bridge = await here.start(['archiver'], undefined, { archiveKeyFile })
    const keys = async () =>
      (await readTopics(here.brokers, here.prefix, ['enrichments'])).records.map(({ key, value }) => [`${key}`, value])
    await eventually('the marker', async () => (await keys()).length === 2)
    assert.equal((await keys())[1], ['segment-marker', null])
    const [range] = [...(await kafka.ranges('enrichments'))].filter(([, { high }]) => high > 0)
    await eventually('the enrichments to be read', async () => {
      const done = await kafka.committedOffsets('enrichments', 'enrichments')
      return done.get(range?.[0] ?? 0) === 2
    })
    assert.is((await readTopics(here.brokers, here.prefix, ['dead-letters'])).records.length, 0)
    await bridge.stop()
  },
)

archive('the retention reports a missing topic', async () => {
  const none = await connectOperator({ ...here, prefix: `${here.prefix}none.` })
  const part = startRetention(
    {
      settings: { accounts: [], retentionDays: 14 },
      kafka: none.kafka,
      mongo,
      metrics: createMetrics(),
      log: createLog('silent'),
    },
    { readableTo: (_, done) => done },
  )
  await eventually('the reason', async () =>
    /^chats: UNKNOWN_TOPIC_OR_PARTITION/.test(String((await part.checks.retention?.())?.reason)),
  )
  await part.stop()
  await none.stop()
})

archive('a data key that is lost in MongoDB stops a rebuild until the loss is accepted', async () => {
  await eventually('deletion', async () => (await recordsIn(eventTopics)) === 0)
  await db.collection<{ _id: string }>('archive_keys').deleteOne({ _id: 'chats/acme/7' })
  const stopped = await rebuild(true)
  assert.is(stopped.code, 1)
  assert.match(`${stopped.said.at(-1)}`, /MongoDB has neither the data key .* of chats/)
  await discard()
  const [told, accepted, again] = [await command('keys'), await command('keys', '--accept-loss'), await command('keys')]
  assert.equal([told.code, accepted.code, again.code], [1, 0, 0], told.err + accepted.err)
  assert.match(told.out, /^chats {2}acme\/7 {2}records: 2, from /)
  const done = await rebuild(true)
  assert.is(done.code, 0, done.said.join('\n'))
  const nameless = await db
    .collection('chats')
    .find({ 'visitor.name': { $ne: canary } })
    .toArray()
  assert.equal(
    nameless.map(({ _id }) => String(_id)),
    ['acme/7'],
  )
})

archive('records that were deleted before they were archived stop a rebuild; forced, it has all others', async () => {
  await archiving?.stop()
  const [accepted, ...more] = eventsOf(30).filter(({ type }) => /^Chat/.test(type))
  const chatsEnd = async () =>
    new Map([...(await kafka.ranges('chats'))].map(([partition, { high }]) => [partition, high]))
  const before = await chatsEnd()
  right(await kafka.publish(accepted as DomainEvent, 10_000))
  const ends = await chatsEnd()
  const [partition, end] = [...ends].find(([each, high]) => high > (before.get(each) ?? 0)) ?? []
  await kafka.deleteBefore('chats', ends)
  for (const event of more) right(await kafka.publish(event, 10_000))
  archiving = await startArchiving()
  await eventually('deletion', async () => (await recordsIn(eventTopics)) === 0)

  const stopped = await rebuild(true)
  await discard()
  const forced = await rebuild(true, false, true)

  assert.is(stopped.code, 1)
  assert.match(
    `${stopped.said.at(-1)}`,
    `Stopped: chats/${partition}: the records from ${Number(end) - 1} to ${Number(end) - 1} are neither in the topic nor in the archive`,
  )
  assert.is(forced.code, 0, forced.said.join('\n'))
  assert.equal(
    (await db.collection('timeline').find({ chatId: '30', type: /^Chat/ }).toArray()).map(({ type }) => type),
    ['ChatFinished'],
  )
})

/** Starts a command of the archive and kills it once `isUnderWay`, or lets it end before that. */
const killed = async (args: ReadonlyArray<string>, keyFile: string, isUnderWay: () => Promise<boolean>) => {
  const child = spawn('sh', [bridgeCommand, 'archive', ...args], {
    env: { ...process.env, ...here.env, ARCHIVE_KEY_FILE: keyFile },
    stdio: 'ignore',
  })
  const ended = once(child, 'close')
  await eventually('the command to be under way', async () => child.exitCode !== null || (await isUnderWay()))
  child.kill('SIGKILL')
  await ended
}

archive('a rewrap that is killed halfway is finished by the next one, and no data key changes', async () => {
  const both = join(folder, 'both-keys.json')
  const second = newKeyFile('second')
  const keys = [second, keyText].flatMap((text) => JSON.parse(text).keys)
  writeFileSync(both, JSON.stringify({ keys }))
  await dataKeys(archiveKeys, right(readKeys(keyText))).forSealing(
    new Set(Array.from({ length: 3_000 }, (_, i) => `chats/acme/rewrapped-${i}`)),
  )
  const secrets = async (text: string) => {
    const { unwrap } = right(readKeys(text))
    const found: string[] = []
    for await (const { id, kid, wrapped } of archiveKeys.all())
      found.push(`${id} ${kid} ${Buffer.from(await unwrap(wrapped)).toString('hex')}`)
    return found.sort()
  }
  const left = () => countWrappedWith(archiveKeys, 'first')
  const before = await secrets(keyText)
  await archiving?.stop()

  await killed(['rewrap'], both, async () => (await left()) < before.length)
  const again = await runCommand(['archive', 'rewrap', '--retire', 'first'], { ...here.env, ARCHIVE_KEY_FILE: both })

  assert.is(again.code, 0, again.out + again.err)
  assert.is(await left(), 0)
  assert.equal(await secrets(second), before)
})

archive('a replay that is killed is refused under the same name, and a repeated one is whole', async () => {
  const both = join(folder, 'both-keys.json')
  const into = (name: string) => ['replay', 'calls', '--into', `${replayed}-${name}`]
  const topics = () => withAdmin(here.brokers, (admin) => admin.listTopics())
  await killed(into('killed'), both, async () => (await topics()).includes(`${replayed}-killed`))

  const same = await runCommand(['archive', ...into('killed')], { ...here.env, ARCHIVE_KEY_FILE: both })
  const other = await runCommand(['archive', ...into('other')], { ...here.env, ARCHIVE_KEY_FILE: both })

  assert.is(same.code, 1)
  assert.match(same.err, 'If a replay into it was killed, it is not complete: delete it.')
  assert.is(other.code, 0, other.out + other.err)
  const archived = (await readTopics(here.brokers, here.prefix, ['archive-calls'])).records.length
  assert.is((await readTopics(here.brokers, `${replayed}-other`, ['' as TopicName])).records.length, archived)
})

archive.run()
