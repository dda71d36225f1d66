// A team whose consumer was stopped for longer than the retention follows the guide: it reads a replay, then continues.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { newKeyFile } from '../../src/bridge/archive/key-file.ts'
import { runCommand } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { plainConsumer } from '../support/plain-consumer.ts'
import { sample } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { canRun, languages, runExample } from './examples.ts'

const here = await world()
const directory = temporaryFolder()
const archiveKeyFile = join(directory, 'keys.json')
writeFileSync(archiveKeyFile, newKeyFile('first'))
const bridge = await here.start(undefined, undefined, { archiveKeyFile })
const log = await plainConsumer(here.brokers, here.prefix)
const [account] = here.accounts
const chats = `${here.prefix}chats`

/** Each chat is of another visitor: an erasure covers all chats of one. */
const accept = async (chat: number) => {
  const visitor = { name: `Visitor ${chat}`, email: `visitor-${chat}@example.com`, number: String(chat) }
  const whose = { chat_id: chat, user_token: `user-${chat}`, client_id: String(chat), visitor }
  const { status } = await fetch(`${bridge.url}/webhooks/${account?.webhooks?.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...JSON.parse(sample('webhooks', 'chat_accepted')), ...whose }),
  })
  assert.is(status, 200)
}
const command = async (...args: ReadonlyArray<string>) => {
  const { code, out, err } = await runCommand(args, { ...here.env, ARCHIVE_KEY_FILE: archiveKeyFile })
  assert.is(code, 0, err)
  return out
}
const archived = (count: number) =>
  eventually(
    `${count} archived records`,
    () => log.records.filter(({ topic }) => topic === 'archive-chats').length >= count || undefined,
  )

const rowsOf = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database.prepare('SELECT topic, type, subject, data FROM events ORDER BY subject, time').all()
    return rows.map(({ topic, type, subject, data }) => [topic, type, subject, data === '{}' ? 'erased' : 'whole'])
  } finally {
    database.close()
  }
}

const guide = suite('guide for a downstream team that fell behind')

guide.after(async () => {
  await log.stop()
  await here.stop()
})

const [first] = languages
if (first !== undefined)
  (canRun(first) ? guide : guide.skip)(
    `${first}: it reads the replay, continues at the offsets, and forgets what it read from both`,
    async () => {
      for (const chat of [1, 2, 3]) await accept(chat)
      await archived(3)
      const replay = `${here.prefix}team-x`
      const printed = await command('archive', 'replay', 'chats', '--into', replay)
      const [, offsets = ''] = /Continue reading \S+ at [^)]+\): (.*)/.exec(printed) ?? []
      assert.match(offsets, /^\d+: \d+/)

      const file = join(directory, 'copy.sqlite')
      const group = `${here.prefix}team`
      const env = {
        KAFKA_BROKERS: here.brokers.join(','),
        TOPIC_PREFIX: here.prefix,
        NODE_NO_WARNINGS: '1',
        GROUP: group,
        DATABASE: file,
        TOPIC: chats,
      }
      for (const news of [3, 0]) {
        const reading = runExample(first, 'subscribe', { ...env, REPLAY: replay })
        assert.is(await reading.ended, 0, reading.err())
        assert.match(reading.err(), `${replay} is read to its end`)
        assert.is(reading.out().split('\n').length - 1, news)
        assert.equal(rowsOf(file), [
          [chats, 'ChatAccepted', '1', 'whole'],
          [chats, 'ChatAccepted', '2', 'whole'],
          [chats, 'ChatAccepted', '3', 'whole'],
        ])
      }

      await accept(4)
      await command('erase', '--account', 'acme', '--chat', '2', '--yes', '--receipt', join(directory, 'receipt.json'))
      // A chat is erased in several topics. The one that is read here has a marker of its own.
      const marker = await eventually('the marker', () =>
        log.records.find(
          ({ topic, headers }) => topic === 'chats' && `${headers.ce_type}` === 'livechat.ChatErased.v1',
        ),
      )
      const continued = async (DATABASE: string, GROUP: string) => {
        const reading = runExample(first, 'subscribe', { ...env, DATABASE, GROUP, OFFSETS: offsets })
        const wanted = [' ChatAccepted acme/4 ', ` ChatErased acme/2 ${marker.headers.ce_id}`]
        await eventually('the new events', () => wanted.every((line) => reading.out().includes(line)) || undefined)
        assert.is(await reading.stop(), 0, reading.err())
        return rowsOf(DATABASE).filter(([topic]) => topic === chats)
      }
      assert.equal(await continued(file, group), [
        [chats, 'ChatAccepted', '1', 'whole'],
        [chats, 'ChatAccepted', '2', 'erased'],
        [chats, 'ChatErased', '2', 'whole'],
        [chats, 'ChatAccepted', '3', 'whole'],
        [chats, 'ChatAccepted', '4', 'whole'],
      ])
      // Into an empty copy come only the events after those offsets.
      assert.equal(await continued(join(directory, 'empty.sqlite'), `${group}-empty`), [
        [chats, 'ChatErased', '2', 'whole'],
        [chats, 'ChatAccepted', '4', 'whole'],
      ])
    },
  )

guide.run()
