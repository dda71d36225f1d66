import { deepStrictEqual as same } from 'node:assert'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Document, MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../contracts/events/index.ts'
import { eventTopics } from '../../contracts/topics.ts'
import { createMetrics } from '../../src/app/metrics.ts'
import { kafkaSettings } from '../../src/app/servers.ts'
import { createLog } from '../../src/app/telemetry.ts'
import { newKeyFile } from '../../src/archive/key-file.ts'
import { now } from '../../src/domain/clock.ts'
import { connectKafka } from '../../src/kafka/kafka.ts'
import { foldedViews } from '../../src/views/index.ts'
import { runCommand } from '../support/command.ts'
import { right } from '../support/either.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anEvent, at } from '../support/given-events.ts'
import { asFolded } from '../support/memory-views.ts'
import { world } from '../support/world.ts'

const guide = readFileSync(new URL('../../contracts/guides/backup.md', import.meta.url), 'utf8')
/** The commands of a section of the page, with or without a prompt. */
const commandsOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^(?:\$ )?livechat-bridge (.*)$/gm)].map(([, words = '']) => words.split(' '))
}

const here = await world()
const folder = temporaryFolder()
const archiveKeyFile = join(folder, 'keys.json')
writeFileSync(archiveKeyFile, newKeyFile('first'))
const client = await MongoClient.connect(here.mongo.url)
const db = client.db()
const settings = kafkaSettings({ brokers: here.brokers, ssl: false }, { prefix: here.prefix, partitions: 4 }, 'copy')
const kafka = connectKafka(settings, { log: createLog('silent'), measure: createMetrics().measure, now })

const eventsOf = (chat: number): ReadonlyArray<DomainEvent> => {
  const visitor = { number: `7${chat}`, chatsCount: 1, name: `CANARY-${chat}-` }
  const of = (type: DomainEvent['type'], second: number, part: object) =>
    ({
      ...anEvent(type, `${type}-${chat}`, at(`10:00:0${second}`), { chatId: `${chat}`, visitor, ...part }),
      subject: `${chat}`,
    }) as DomainEvent
  return [of('ChatAccepted', 0, {}), of('OfflineMessageReceived', 1, { offlineMessageId: `o${chat}` })]
}
const publish = async (chats: ReadonlyArray<number>) => {
  for (const event of chats.flatMap(eventsOf)) right(await kafka.publish(event, 20_000))
}
const processed = () =>
  eventually('projector and archiver', async () => {
    for (const { name } of eventTopics)
      for (const group of ['projector', 'archiver']) {
        const [known, done] = [await kafka.ranges(name), await kafka.committedOffsets(group, name)]
        if ([...known].some(([partition, { high }]) => high > 0 && done.get(partition) !== high)) return false
      }
    return true
  })

const names = async () =>
  (await db.listCollections({ type: 'collection' }).toArray()).flatMap(({ name }) =>
    name.startsWith('system.') ? [] : [name],
  )
type Copy = ReadonlyMap<string, ReadonlyArray<Document>>
/** What `mongodump` saves: of all collections, or of these. */
const dump = async (of?: ReadonlyArray<string>): Promise<Copy> => {
  const all = (of ?? (await names())).map(async (name) => [name, await db.collection(name).find().toArray()] as const)
  return new Map(await Promise.all(all))
}
const restore = async (copy: Copy) => {
  for (const [name, documents] of copy) if (documents.length > 0) await db.collection(name).insertMany([...documents])
}
/** Without `audit`, to which every command adds a document. */
const views = async () => {
  const all = foldedViews.map(async ({ name }) => {
    const found = await db.collection<{ _id: string }>(name).find().sort({ _id: 1 }).toArray()
    return [name, found.map(asFolded)] as const
  })
  const { audit, ...others } = Object.fromEntries(await Promise.all(all))
  return others
}
const command = (args: ReadonlyArray<string>) =>
  runCommand([...args], { ...here.env, ARCHIVE_KEY_FILE: archiveKeyFile })
const start = () => here.start(['projector', 'archiver'], undefined, { archiveKeyFile })
const telling = async (chat: number) => JSON.stringify(await views()).includes(`CANARY-${chat}-`)

const saved = [1, 2, 3]
const newer = [4, 5]

const backup = suite('the page on backup, followed')
backup.after(async () => {
  await kafka.stop()
  await here.stop()
  await client.close()
})

backup('a copy of the whole database, and three of its collections alone, bring everything back', async () => {
  const first = await start()
  await publish(saved)
  await processed()
  await first.stop()
  const whole = await dump()
  const second = await start()
  await publish(newer)
  await processed()
  const receipt = join(folder, 'receipt.json')
  const erased = await command(['erase', '--account', 'acme', '--chat', '2', '--yes', '--receipt', receipt])
  assert.is(erased.code, 0, erased.err)
  await processed()
  await second.stop()
  const small = await dump(['archive_keys', 'erasures', 'erasure_keys'])
  const before = await views()

  for (const copy of [whole, small]) {
    await db.dropDatabase()
    await restore(copy)
    const bridge = await start()
    await processed()
    for (const args of commandsOf('Restore MongoDB')) {
      const { code, out, err } = await command(args)
      assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
    }
    same(await views(), before)
    for (const args of commandsOf('Test a restore')) {
      const { code, out, err } = await command(args)
      if (args.join(' ') === 'erase status') assert.match(out, 'Erasure ')
      else assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
    }
    for (const chat of [...saved, ...newer]) assert.is(await telling(chat), chat !== 2, `chat ${chat}`)
    await bridge.stop()
  }
})

backup.run()
