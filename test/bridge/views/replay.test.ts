import { deepStrictEqual as same } from 'node:assert'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { contractOf } from '../../../src/bridge/views/index.ts'
import { aLog, deliveriesOf, type Entry } from '../../support/logs.ts'
import { changesOfEntries, type Documents, foldOf, memoryViews } from '../../support/memory-views.ts'

const replay = suite('views under replay')

/** A message and a hand-over with one id are two commands. */
const nameOf = ({ content: { id, type }, topic, partition }: Pick<Entry, 'content' | 'topic' | 'partition'>) =>
  `${topic}/${partition}/${type === 'InviteAgent' ? type : ''}/${id}`

/** Keeps repeated markers of erasures, because a repeated marker erases again. */
const withoutRepeats = (log: ReadonlyArray<Entry>) =>
  log.filter(
    ({ content, topic, partition }, i) =>
      content.type === 'ClientErased' ||
      content.type === 'ChatErased' ||
      log.findIndex((it) => nameOf(it) === nameOf({ content, topic, partition })) === i,
  )

/** Without the places in the log, which may differ between a log with repeats and one without. */
const withoutPlaces = (documents: Documents) =>
  Object.fromEntries(
    Object.entries(documents).map(([key, document]) => {
      const { applied, offset, ...rest }: Record<string, unknown> = document
      return [key, rest]
    }),
  )

replay('equal a plain fold of the log, however its slices are cut, repeated and mixed', async () => {
  const given = aLog.chain((log) => fc.tuple(fc.constant(log), deliveriesOf(log)))
  await fc.assert(
    fc.asyncProperty(given, async ([log, slices]) => {
      const { applyChanges, documents } = memoryViews()
      for (const slice of slices) await applyChanges(changesOfEntries(slice))
      same(documents(), await foldOf(log))
    }),
    { numRuns: 300 },
  )
})

/** As a careless sender numbers its events: ids come again in other chats, and with other content. */
const withFewIds = (log: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  log.map((entry) => {
    const { content } = entry
    if (entry.topic !== 'bot-conversations' || !content.id.startsWith('e')) return entry
    return { ...entry, content: { ...content, id: `bot${Number(content.id.slice(1)) % 3}` } as typeof content }
  })

/** Every order in which the partitions of all topics can be read: each partition in its own order. */
const readingsOf = (log: ReadonlyArray<Entry>) =>
  fc.array(fc.nat(), { minLength: log.length, maxLength: log.length }).map((choices) => {
    const partitions = [...Map.groupBy(log, ({ topic, partition }) => `${topic}/${partition}`).values()].map((own) => [
      ...own,
    ])
    return choices.flatMap((choice) => {
      const left = partitions.filter(({ length }) => length > 0)
      return left[choice % left.length]?.shift() ?? []
    })
  })

replay('do not depend on the order in which topics and partitions are read, whatever ids senders give', async () => {
  const given = aLog.map(withFewIds).chain((log) => fc.tuple(fc.constant(log), readingsOf(log)))
  await fc.assert(
    fc.asyncProperty(given, async ([log, reading]) => {
      same(await foldOf(reading), await foldOf(log))
    }),
    { numRuns: 300 },
  )
})

replay('return the same documents, by reference, when the whole log is repeated', async () => {
  await fc.assert(
    fc.asyncProperty(aLog, async (log) => {
      const { applyChanges, documents } = memoryViews()
      await applyChanges(changesOfEntries(log))
      const before = documents()
      await applyChanges(changesOfEntries(log))
      const after = documents()
      for (const key of Object.keys(before)) assert.ok(before[key] === after[key], key)
    }),
    { numRuns: 100 },
  )
})

replay('do not count or change anything for an event that is repeated under its id at another time', async () => {
  await fc.assert(
    fc.asyncProperty(aLog, async (log) => {
      same(withoutPlaces(await foldOf(log)), withoutPlaces(await foldOf(withoutRepeats(log))))
    }),
    { numRuns: 300 },
  )
})

const codecOf = (key: string) => contractOf(key.slice(0, key.indexOf(' '))).document

replay('contain only documents that match their contract', async () => {
  await fc.assert(
    fc.asyncProperty(aLog, async (log) => {
      for (const [key, document] of Object.entries(await foldOf(log))) {
        const decoded = codecOf(key).decode(document)
        same(decoded, { _tag: 'Right', right: document }, key)
      }
    }),
    { numRuns: 200 },
  )
})

replay('are tested with valid events', () => {
  fc.assert(
    fc.property(aLog, (log) => {
      for (const { content } of log)
        assert.ok(DomainEvent.is(content) || content.type === 'BotMessage' || content.type === 'InviteAgent')
    }),
    { numRuns: 50 },
  )
})

replay.run()
