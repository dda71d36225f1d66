import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { topicOf } from '../../../contracts/topics.ts'
import { dataKeys } from '../../../src/bridge/archive/data-keys.ts'
import { newKeyFile, readKeys } from '../../../src/bridge/archive/key-file.ts'
import { restorer } from '../../../src/bridge/archive/restore.ts'
import type { OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import { archiveKeysIn } from '../../../src/bridge/mongo/archive-keys.ts'
import { replay } from '../../../src/bridge/operations/archive/replay.ts'
import { viewNames } from '../../../src/bridge/views/index.ts'
import { recreateTopics } from '../../support/delete-topics.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { foldOf } from '../../support/memory-views.ts'
import { connectOperator } from '../../support/operator.ts'
import { runRebuild } from '../../support/rebuild.ts'
import { world } from '../../support/world.ts'

const here = await world({ partitions: 2 })
const archiveKeyFile = join(temporaryFolder(), 'keys.json')
const keyText = newKeyFile('first')
writeFileSync(archiveKeyFile, keyText)
const operator = await connectOperator(here, 2)
const { db, kafka, mongo } = operator
const bridge = await here.start(['projector', 'archiver'], undefined, { archiveKeyFile })
const restore = () => restorer(dataKeys(mongo.query(archiveKeysIn), right(readKeys(keyText))))
const signal = new AbortController().signal

const topics = ['chats', 'bot-conversations'] as const
const text = { type: 'TEXT', text: 'canary of a person', timestamp: at('10:00:00') }
const visitor = { number: '1', chatsCount: 1, name: text.text }
const of = (id: string, type: DomainEvent['type'], chatId: string, part: object = {}) =>
  ({ ...anEvent(type, id, at('10:00:00'), { chatId, ...part }), subject: chatId }) as DomainEvent
const begun = (chat: string) => [
  of(`a${chat}`, 'ChatAccepted', chat, { visitor }),
  of(`b${chat}`, 'ClientMessageReceived', chat, { message: text }),
]
const goneOn = (chat: string) => [
  of(`c${chat}`, 'ChatUpdated', chat, { visitor: { ...visitor, chatsCount: 2 } }),
  of(`d${chat}`, 'ClientMessageReceived', chat, { message: text }),
]
/** Publishes events one after another, and waits until they are archived. */
const publish = async (events: ReadonlyArray<DomainEvent>) => {
  for (const event of events) right(await kafka.publish(event, 10_000))
  await eventually('the archive', async () => {
    for (const topic of topics) {
      const [ranges, done] = [await kafka.ranges(topic), await kafka.committedOffsets('archiver', topic)]
      if ([...ranges].some(([partition, { high }]) => (done.get(partition) ?? 0) < high)) return false
    }
    return true
  })
}
const recreate = () => recreateTopics({ ...here, kafka }, topics)
const rebuild = (dryRun = false) => runRebuild(operator, { views: viewNames, dryRun }, { restore: restore() })
/** A document without the places of its records, because they differ from the places in a single log. */
const withoutPlaces = (document: object) => {
  const { applied, topic, partition, offset, ...rest } = document as Readonly<Record<string, unknown>>
  return rest
}
const views = ['chats', 'conversations', 'timeline'] as const
const documents = async () => {
  const found = views.map(async (view) =>
    (await db.collection(view).find().toArray()).map(
      (document) => [`${view} ${document._id}`, withoutPlaces(document)] as const,
    ),
  )
  return Object.fromEntries((await Promise.all(found)).flat())
}
const foldedOf = async (events: ReadonlyArray<DomainEvent>) => {
  const log = events.map((content, offset) => ({
    content,
    topic: topicOf(content).name,
    partition: 0,
    offset,
    timestamp: 0,
  }))
  const all = Object.entries(await foldOf(log)).filter(([name]) => views.some((view) => name.startsWith(`${view} `)))
  return Object.fromEntries(all.map(([name, document]) => [name, withoutPlaces(document)]))
}

const generations = suite('records that were archived before a topic was deleted and created again')
generations.after(async () => {
  await operator.stop()
  await here.stop()
})

const log = [...begun('1'), ...begun('2')]

generations('are folded by a rebuild before the current topic, as one log', async () => {
  await publish(log)
  for (const more of [
    [...goneOn('1'), ...begun('3')],
    [of('e1', 'ChatUpdated', '1'), ...begun('4')],
  ]) {
    await recreate()
    await publish(more)
    log.push(...more)
  }
  const { code, said } = await rebuild()
  assert.is(code, 0, said.join('\n'))
  assert.equal(await documents(), await foldedOf(log))
  assert.is((await rebuild(true)).said.at(-1), 'There is no difference, and nothing was changed.')
})

generations('are written by a replay in their order, followed by the current topic', async () => {
  const written: OutgoingRecord[] = []
  const append = async (record: OutgoingRecord) => E.right(void written.push(record))
  const { continueAt } = await replay({ kafka, restore: restore(), append, signal }, 'chats', 'elsewhere', {})
  const ids = (records: ReadonlyArray<string>) => [...new Set(records)]
  const writtenOf = (chat: string) =>
    ids(written.flatMap(({ key, headers }) => (`${key}` === `acme/${chat}` ? [`${headers.ce_id}`] : [])))
  assert.equal(['1', '2', '3', '4'].map(writtenOf), [['a1', 'c1', 'e1'], ['a2'], ['a3'], ['a4']])
  const present = [...(await kafka.ranges('chats'))].filter(([, { high }]) => high > 0)
  assert.equal(continueAt, Object.fromEntries(present.map(([partition, { high }]) => [partition, high])))
})

generations('are emptied by an erasure in the current topic', async () => {
  await publish(topics.map((topic) => of(`x-${topic}`, 'ChatErased', '2', { topic, erasureId: 'e1' })))
  const told = async () => {
    const all = Object.entries(await documents()).filter(([, document]) => JSON.stringify(document).includes(text.text))
    return [...new Set(all.map(([name, { chatId }]) => `${chatId ?? name}`))].sort()
  }
  const areFolded = async () => {
    const names = Object.keys(await documents())
    return topics.every((topic) => names.includes(`timeline acme/2/erasures/x-${topic}`))
  }
  await eventually('the markers in the views', areFolded)
  const left = await told()
  assert.not.ok(left.includes('2'), left.join())
  assert.ok(left.includes('1'))
  const emptied = await documents()
  const { code, said } = await rebuild()
  assert.is(code, 0, said.join('\n'))
  assert.equal(await documents(), emptied)
  await bridge.stop()
})

generations.run()
