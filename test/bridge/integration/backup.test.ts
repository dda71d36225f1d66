import { deepStrictEqual as same } from 'node:assert'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { foldedViews } from '../../../src/bridge/views/index.ts'
import { archivingWorld } from '../../support/archiving-world.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { asFolded } from '../../support/memory-views.ts'

const guide = readFileSync(new URL('../../../contracts/guides/backup.md', import.meta.url), 'utf8')
/** The commands of a section of the page, with or without a prompt. */
const commandsOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^ *(?:\$ )?livechat-bridge (.*)$/gm)].map(([, words = '']) => words.split(' '))
}

const { db, kafka, command, start, publish, processed, erase, dump, restore, stop } = await archivingWorld()

const eventsOf = (chat: number): ReadonlyArray<DomainEvent> => {
  const visitor = { number: `7${chat}`, chatsCount: 1, name: `CANARY-${chat}-` }
  const of = (type: DomainEvent['type'], second: number, part: object) =>
    ({
      ...anEvent(type, `${type}-${chat}`, at(`10:00:0${second}`), { chatId: `${chat}`, visitor, ...part }),
      subject: `${chat}`,
    }) as DomainEvent
  return [of('ChatAccepted', 0, {}), of('OfflineMessageReceived', 1, { offlineMessageId: `o${chat}` })]
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
const telling = async (chat: number) => JSON.stringify(await views()).includes(`CANARY-${chat}-`)

const enrich = async (client: number, title: string | null) => {
  const value = title && JSON.stringify({ customData: [{ title, content: 'x' }] })
  right(await kafka.append({ topic: 'enrichments', key: `acme/clientId:${client}`, value, headers: {} }, 20_000))
}
/** The clients of whom agents see something. */
const enriched = async () =>
  (
    await db
      .collection<{ _id: string }>('enrichments')
      .find({ value: { $exists: true } })
      .sort({ _id: 1 })
      .toArray()
  ).map(({ _id }) => _id)

const saved = [1, 2, 3]
const newer = [4, 5]

const backup = suite('the page on backup, followed')
backup.after(stop)

backup('a copy of the whole database, and three of its collections alone, bring everything back', async () => {
  const first = await start()
  await publish(saved.flatMap(eventsOf))
  await Promise.all([enrich(1, 'old'), enrich(2, 'old')])
  await eventually('the enrichments', async () => (await enriched()).length === 2)
  await processed()
  await first.stop()
  const whole = await dump()
  const second = await start()
  await publish(newer.flatMap(eventsOf))
  await Promise.all([enrich(1, null), enrich(3, 'new')])
  const agentsSee = ['acme/clientId:2', 'acme/clientId:3']
  await eventually('the newer enrichments', async () => isDeepStrictEqual(await enriched(), agentsSee))
  await processed()
  await erase(2)
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
      const { code, out, err } = await command(...args)
      assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
    }
    same(await views(), before)
    await eventually('the enrichments', async () => isDeepStrictEqual(await enriched(), agentsSee))
    for (const chat of [...saved, ...newer]) assert.is(await telling(chat), chat !== 2, `chat ${chat}`)
    await bridge.stop()
  }
})

backup('a restore is tested by the commands of the page', async () => {
  for (const args of commandsOf('Test a restore')) {
    const { code, out, err } = await command(...args)
    if (args.join(' ') === 'erase status') assert.match(out, 'Erasure ')
    else assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
  }
})

backup.run()
