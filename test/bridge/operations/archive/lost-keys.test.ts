import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dataKeys, type SealingKey } from '../../../../src/bridge/archive/data-keys.ts'
import { newKeyFile, readKeys } from '../../../../src/bridge/archive/key-file.ts'
import { restorer } from '../../../../src/bridge/archive/restore.ts'
import { seal } from '../../../../src/bridge/archive/seal.ts'
import type { IncomingRecord, OutgoingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { toRecord } from '../../../../src/bridge/kafka/records.ts'
import { notRecorded, optionsOf, type RecordAction } from '../../../../src/bridge/operations/audit.ts'
import { right } from '../../../support/either.ts'
import { anEvent, at } from '../../../support/given-events.ts'
import { runOperation } from '../../../support/operation.ts'
import { memoryKeys } from '../../archive/memory-keys.ts'

const losing = suite('archive keys')

const asRead = ({ topic, key, value, headers }: OutgoingRecord, offset: number): IncomingRecord => ({
  topic,
  partition: 0,
  offset,
  timestamp: Date.parse(at('10:00:00')) + offset * 1_000,
  key: Buffer.from(`${key}`),
  value: value === null ? null : Buffer.from(value),
  headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, Buffer.from(header)])),
})

/** An archive of three events of chat 1 and one of chat 2. MongoDB has lost the key of chat 1. */
const given = async () => {
  const keys = memoryKeys()
  const wrapping = right(readKeys(newKeyFile('first')))
  const archive: IncomingRecord[] = []
  for (const [offset, chatId] of ['1', '2', '1', '1'].entries()) {
    const record = {
      ...asRead(toRecord(anEvent('ChatAccepted', `e${offset}`, at('10:00:00'))), offset),
      topic: 'chats',
    }
    const id = `chats/acme/${chatId}`
    const key = (await dataKeys(keys, wrapping).forSealing([id])).get(id) as SealingKey
    const keyed = { ...record, topic: 'chats' as const, key: Buffer.from(`acme/${chatId}`) }
    archive.push(asRead(seal(keyed, 'g1', true, key), offset))
  }
  keys.documents.delete('chats/acme/1')
  const actions: object[] = []
  const topic = { low: 4 }
  const resources = {
    archiveKeys: keys,
    wrapping,
    kafka: {
      ranges: async () => new Map([[0, { low: topic.low, high: 4 }]]),
      topicIds: async () => new Map([['chats', 'g1'] as const]),
      readTopic: async (topic: string, take: (records: ReadonlyArray<IncomingRecord>) => Promise<void>) => {
        if (topic === 'archive-chats') await take(archive)
        return E.right(undefined)
      },
    },
  }
  const recordAction: RecordAction = async (asked) => E.right(void actions.push(asked))
  const run = (args: ReadonlyArray<string>, terminal: { readonly recordAction?: RecordAction } = {}) =>
    runOperation(['archive', 'keys', ...args], resources, { recordAction, ...terminal })
  const names = async () =>
    (await restorer(dataKeys(keys, wrapping))(archive)).map((found) =>
      found.kind === 'record' ? JSON.parse(`${found.record.value}`).visitor.name : found.kind,
    )
  return { run, actions, names, topic, resources, keys }
}

const told = [
  'chats  acme/1  records: 3, from 2026-01-31T10:00:00.000Z to 2026-01-31T10:00:03.000Z',
  'Data keys that are lost: 1. Archived records whose personal data cannot be read: 3.',
]

losing('shows the lost data, and changes nothing', async () => {
  const { run, actions, names } = await given()
  const { code, out } = await run([])
  assert.equal([code, out.slice(0, -1)], [1, told])
  assert.equal(actions, [])
  assert.equal(await names(), ['lost', 'Ann', 'lost', 'lost'])
})

losing('lets all readers continue without the key after its loss is accepted and recorded', async () => {
  const { run, actions, names } = await given()
  const { code, out } = await run(['--accept-loss'])
  assert.equal([code, out.slice(0, -1)], [0, told])
  assert.equal(actions, [{ action: 'erase', command: 'archive keys', options: optionsOf({ 'accept-loss': 1 }) }])
  assert.equal(await names(), [undefined, 'Ann', undefined, undefined])
  const again = await run(['--accept-loss'])
  assert.equal(again, { code: 0, out: ['No data key is lost that the archive needs.'], err: [] })
  assert.is(actions.length, 1)
})

losing('leaves to the archiver what the topic still has, also if the loss of the rest is accepted', async () => {
  const { run, names, topic } = await given()
  topic.low = 2
  const { code, out } = await run(['--accept-loss'])
  assert.is(code, 0)
  assert.match(out[0] ?? '', 'The topics still have some records whose data keys are lost')
  assert.match(out[1] ?? '', 'chats  acme/1  records: 1, from')
  assert.equal(await names(), [undefined, 'Ann', 'lost', 'lost'])
  topic.low = 0
  assert.is((await run([])).code, 0)
})

losing('accepts no loss if that cannot be recorded', async () => {
  const { run, names } = await given()
  const away = { kind: 'transient', reason: 'the broker is away' } as const
  const { code, err } = await run(['--accept-loss'], { recordAction: async () => E.left(away) })
  assert.equal([code, err], [1, [notRecorded(away)]])
  assert.equal(await names(), ['lost', 'Ann', 'lost', 'lost'])
})

losing('counts what a key wrapped that the file lacks only if it is named as lost', async () => {
  const { run, resources, names, keys, topic, actions } = await given()
  const opened = resources.wrapping
  resources.wrapping = right(readKeys(newKeyFile('second')))
  const before = new Map(keys.documents)
  const refused = await run(['--accept-loss'])
  assert.is(refused.code, 1)
  assert.match(refused.err.join(), 'does not have the key first that has wrapped data keys')
  assert.is((await run(['--lost-key', 'second', '--accept-loss'])).code, 1)
  const shown = await run(['--lost-key', 'first'])
  assert.is(shown.code, 1)
  assert.match(shown.out.join(), 'chats  acme/2  records: 1')
  assert.match(shown.out.join(), 'archive keys --lost-key first --accept-loss')
  assert.equal(keys.documents, before)
  topic.low = 1
  const accepted = await run(['--lost-key', 'first', '--accept-loss'])
  assert.is(accepted.code, 0)
  assert.equal(actions, [
    { action: 'erase', command: 'archive keys', options: optionsOf({ 'lost-key': 'first', 'accept-loss': 1 }) },
  ])
  // Only the topic has what is behind its beginning.
  assert.equal(await names(), [undefined, 'lost', 'lost', 'lost'])
  assert.match((await run([])).out.join(), 'No data key is lost that the archive needs.')
  resources.wrapping = opened
  assert.is((await run(['--lost-key', 'first'])).code, 1)
})

losing('says that no record is lost with a key if the topics have all that it wrapped', async () => {
  const { run, resources, topic } = await given()
  resources.wrapping = right(readKeys(newKeyFile('second')))
  topic.low = 0
  const { code, out } = await run(['--lost-key', 'first'])
  assert.is(code, 1)
  assert.match(out.join(), 'No record is lost with it. Restore the file')
  assert.not.match(out.join(), 'Nothing has these records any more')
})

losing('gives up one lost key after the other, and names the next one', async () => {
  const { run, resources, names, keys } = await given()
  const lacking = (kid: string) => new RegExp(`does not have the key ${kid} that has wrapped data keys`)
  await dataKeys(keys, right(readKeys(newKeyFile('second')))).forSealing(['chats/acme/3'])
  resources.wrapping = right(readKeys(newKeyFile('third')))
  assert.match((await run([])).err.join(), lacking('first'))
  const first = await run(['--lost-key', 'first', '--accept-loss'])
  assert.is(first.code, 1)
  assert.match(first.out.join(), lacking('second'))
  assert.match((await run([])).err.join(), lacking('second'))
  const second = await run(['--lost-key', 'second', '--accept-loss'])
  assert.is(second.code, 0)
  assert.match(second.out.join(), 'Now start the archivers.')
  assert.equal(await keys.examples(), [])
  assert.equal(await names(), Array(4).fill(undefined))
})

losing.run()
