import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { conversationEvent } from '../../../src/bot/harness.ts'
import { archivingWorld } from '../../support/archiving-world.ts'
import { runCommand } from '../../support/command.ts'
import { recreateTopics } from '../../support/delete-topics.ts'
import { temporaryFolder } from '../../support/folder.ts'

const there = await archivingWorld()
const { here, kafka } = there
await there.start()

const began = Date.now() - 3_600_000
let seconds = 0
const at = () => new Date(began + 1_000 * ++seconds).toISOString()
/** The client asks for the hours, and the day's bot tells them. */
const turn = (chatId: string): ReadonlyArray<DomainEvent> => {
  const of = { chatId, clientId: `c${chatId}` }
  const [asked, requestedAt, answered] = [at(), at(), at()]
  const id = `m${seconds}`
  const message = { type: 'TEXT', text: 'hours', timestamp: asked }
  const reply = { type: 'MARKDOWN', content: 'From 9 to 20.', text: 'From 9 to 20.' }
  return [
    conversationEvent('ClientMessageReceived', { ...of, message }, { id, time: asked, subject: chatId }),
    conversationEvent(
      'BotReplyDelivered',
      { ...of, commandId: `r${seconds}`, inReplyTo: id, requestedAt, message: reply },
      { id: `o${seconds}`, time: answered, subject: chatId },
    ),
  ]
}
/** What retention does, once the archive has the records. */
const deleteRecords = async () => {
  await there.processed()
  const ends = await kafka.endOffsets('bot-conversations')
  await kafka.deleteBefore('bot-conversations', ends)
}

const folder = temporaryFolder()
const botPath = fileURLToPath(new URL('../what-if/bots/day.ts', import.meta.url))
const args = (out: string) => [
  'what-if',
  ...['--account', 'acme', '--bot', botPath, '--out', out],
  ...['--from', new Date(began).toISOString(), '--to', new Date(began + 3_600_000).toISOString()],
]
const turnsByChat = (out: string) => {
  const lines = readFileSync(join(out, 'report.jsonl'), 'utf8').trim().split('\n')
  return Object.groupBy(
    lines.map((line): { readonly chatId: string; readonly verdict: string } => JSON.parse(line)),
    ({ chatId }) => chatId,
  )
}
const verdicts = (out: string) =>
  Object.fromEntries(
    Object.entries(turnsByChat(out)).map(([chatId, turns = []]) => [
      chatId,
      turns.map(({ verdict }) => verdict).join(' '),
    ]),
  )

const archive = suite('what-if where the topic ends')
archive.after(() => there.stop())

archive('reads what retention has deleted from the archive, and goes on in the topic', async () => {
  for (const chat of ['1', '2', '3']) await there.publish(turn(chat))
  await there.processed()
  await there.erase(3)
  await deleteRecords()
  for (const chat of ['1', '4']) await there.publish(turn(chat))
  const out = join(folder, 'both')
  const { code, out: printed, err } = await there.command(...args(out))
  assert.is(code, 0, err)
  assert.equal(verdicts(out), { 1: 'words words', 2: 'words', 4: 'words' })
  assert.match(printed, /1 erased/)
  assert.match(printed, /Read of archive-bot-conversations, partition by partition: \d/)
})

archive('says without keys that the first records are only in the archive', async () => {
  const { code, err } = await runCommand(args(join(folder, 'none')), here.env)
  assert.is(code, 2, err)
  assert.match(err, /bot-conversations: its first records are only in the archive, and ARCHIVE_KEY_FILE is not set/)
})

archive('reads what a topic had that was deleted and created again', async () => {
  await there.processed()
  await recreateTopics({ ...here, kafka }, ['bot-conversations'])
  for (const chat of ['4', '5']) await there.publish(turn(chat))
  const out = join(folder, 'recreated')
  const { code, err } = await there.command(...args(out))
  assert.is(code, 0, err)
  assert.equal(verdicts(out), { 1: 'words words', 2: 'words', 4: 'words words', 5: 'words' })
})

archive.run()
