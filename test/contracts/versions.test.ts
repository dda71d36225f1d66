import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { versionOf } from '../../contracts/events/versions.ts'
import type { IncomingRecord } from '../../src/bridge/domain/log/record.ts'
import { fromRecord, recordReader } from '../../src/bridge/kafka/records.ts'
import { eventsWith } from '../../src/tools/publishing/catalogue.ts'
import { left, right } from '../support/either.ts'
import { dataOfVersions, headersOfVersion, olderMessage } from './older-message.ts'

const time = '2022-10-10T15:31:19.512Z'
const read = recordReader(olderMessage)

const record = (version: number, data: unknown): IncomingRecord => ({
  topic: 'bot-conversations',
  partition: 0,
  offset: 0,
  timestamp: 0,
  key: Buffer.from('acme/2037'),
  value: Buffer.from(JSON.stringify(data)),
  headers: Object.fromEntries(
    Object.entries(headersOfVersion(version, time)).map(([name, text]) => [name, Buffer.from(text)]),
  ),
})

const versions = suite('versions of an event')

versions('each is read as the newest version, through every step between', () => {
  for (const [i, data] of dataOfVersions.entries())
    assert.equal(right(read(record(i + 1, data))), {
      type: 'ClientMessageReceived',
      id: `message-v${i + 1}`,
      source: '/accounts/acme/bot',
      subject: '2037',
      time,
      data: dataOfVersions[2],
    })
})

versions('a record that does not match its version is refused, and so is an unknown version', () => {
  assert.equal(left(read(record(1, dataOfVersions[1]))), {
    cause: 'contract',
    detail: 'chat: expected text; sentAt: expected unix time',
  })
  assert.equal(left(read(record(2, { ...dataOfVersions[1], sentAt: 'soon' }))).cause, 'contract')
  assert.equal(left(read(record(4, dataOfVersions[2]))).cause, 'headers')
  assert.equal(E.isLeft(fromRecord(record(2, dataOfVersions[1]))), true)
})

versions('the result of a step is checked too', () => {
  const [first, second] = olderMessage
  assert.ok(first && second)
  const careless = recordReader([first, { ...second, upcast: () => ({ accountId: 'acme' }) }])
  assert.match(left(careless(record(1, dataOfVersions[0]))).detail, /^data\.chatId: expected /)
})

versions('every version of an event is published next to the newest one, under its own schema', () => {
  const names = eventsWith(olderMessage).map(({ name }) => name)
  assert.equal(
    names.filter((name) => name.startsWith('ClientMessage')),
    ['ClientMessageReceived.v1', 'ClientMessageReceived.v2', 'ClientMessageReceived.v3'],
  )
  assert.is(names.length, eventsWith([]).length + 2)
  assert.equal([versionOf('ClientMessageReceived', olderMessage), versionOf('ChatClosed', olderMessage)], [3, 1])
})

versions('records are decoded into events in one place only, so that no code skips the steps', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const saying = (pattern: RegExp) =>
    globSync('src/**/*.ts', { cwd: root }).filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')))
  assert.equal(saying(/\brecordedTypes\(/), ['src/bridge/kafka/records.ts'])
  // The demo's bot reads only events that the demo has just created, and the harness creates its events itself.
  assert.equal(saying(/\b(Domain|Conversation|Chat)Event\.decode\(/).sort(), [
    'src/bot/harness.ts',
    'src/tools/simulator/demo/bot.ts',
  ])
})

versions.run()
