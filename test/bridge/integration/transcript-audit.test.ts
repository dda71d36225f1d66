import { join } from 'node:path'
import { startBot, text } from 'livechat-bridge/bot'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import { chatFinished } from '../../../src/tools/simulator/payloads.ts'
import { runCommand } from '../../support/command.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { altering, losing } from '../../support/tampering.ts'
import { world } from '../../support/world.ts'

const here = await world()
const bridge = await here.start()
const bot = await startBot(
  { onMessage: ({ data: { message } }) => text(`You said ${message.text}`) },
  { brokers: here.brokers, topicPrefix: here.prefix, group: `audited-${here.prefix}bots` },
)
const client = await MongoClient.connect(here.mongo.url)
const db = client.db(here.mongo.database)
const sessions = db.collection<SessionDocument>('sessions')
const { service } = here

const audits = suite('audit of transcripts on real servers')
audits.after(async () => {
  await client.close()
  await bot.stop()
  await here.stop()
})

/** A client writes, and waits for the bot's reply each time. */
const talk = async (chatId: string, ...words: ReadonlyArray<string>) => {
  for (const each of words) {
    const answers = service.chat(chatId)?.delivered.length ?? 0
    await service.clientWrites(chatId, each)
    await service.waitFor(
      'the answer',
      () => (service.chat(chatId)?.delivered.length ?? 0) > answers || undefined,
      60_000,
    )
  }
  // The service has a reply before the bridge knows its outcome.
  await eventually('the outcomes to be in the views', async () => {
    const { delivered = [] } = service.chat(chatId) ?? {}
    return (await db.collection('deliveries').countDocuments({ chatId, state: 'delivered' })) === delivered.length
  })
}
const auditOf = async (chatId: string, number = 1) => {
  const _id = `acme/${chatId}/agent/${number}`
  const isMade = async () => {
    const audit = (await sessions.findOne({ _id }))?.audit
    return audit !== undefined && audit.state !== 'due'
  }
  await eventually(`the audit of ${_id}`, isMade)
  return (await sessions.findOne({ _id }))?.audit
}
const metrics = async () => (await fetch(`${bridge.adminUrl}/metrics`)).text()

audits('find nothing in complete chats, even if an agent took over', async () => {
  const chats = Array.from({ length: 10 }, (_, i) => `${100 + i}`)
  await Promise.all(
    chats.map(async (chatId, i) => {
      await talk(chatId, 'one', 'two', 'two')
      if (i % 2 === 0) {
        await service.agentJoins(chatId)
        service.agentWrites(chatId, 'Hello')
        service.clientWritesUnheard(chatId, 'three')
      }
      await service.finishChat(chatId)
    }),
  )
  for (const chatId of chats)
    assert.equal(await auditOf(chatId), { state: 'compared', differences: [], replies: 'compared' }, chatId)
})

audits('find what differs, count it by kind, and contain no texts', async () => {
  await talk('201', 'first words', 'second words', 'third words')
  await service.finishChat('201', { tamper: losing('client', 1) })
  await talk('202', 'first words')
  service.clientWritesUnheard('202', 'never told')
  await talk('202', 'last words')
  await service.finishChat('202')
  for (const [chatId, kind] of [
    ['201', 'not-in-transcript'],
    ['202', 'not-received'],
  ] as const) {
    const audit = await auditOf(chatId)
    assert.equal(
      audit?.differences.map((each) => [each.kind, each.from]),
      [[kind, 'client']],
      chatId,
    )
    assert.not.match(JSON.stringify(audit), 'words')
    const line = `livechat_transcript_differences{account="acme",kind="${kind}"} 1`
    await eventually(line, async () => (await metrics()).includes(line))
  }
})

audits('are computed again when an event is late', async () => {
  await talk('401', 'one')
  service.clientWritesUnheard('401', 'late')
  const timestamp = Math.floor(Date.now() / 1000)
  await talk('401', 'last')
  await service.finishChat('401')
  assert.equal(
    (await auditOf('401'))?.differences.map(({ kind }) => kind),
    ['not-received'],
  )
  const message = { type: 'TEXT', text: 'late', timestamp }
  await service.clientWrites('401', 'late', { fields: { message } })
  await eventually('the late message to count', async () => (await auditOf('401'))?.differences.length === 0)
})

/** Runs a command that must succeed. */
const command = async (...args: ReadonlyArray<string>) => {
  const { code, out, err } = await runCommand(args, { ...here.env, TOPIC_PARTITIONS: '4' })
  assert.is(code, 0, out + err)
}

audits('are the same after a rebuild, and removed after an erasure, even after its rebuild', async () => {
  for (const chatId of ['501', '502']) {
    await talk(chatId, 'first words', 'second words')
    // Each chat has another visitor.
    const fields = { visitor: { ...chatFinished().visitor, number: chatId } }
    await service.finishChat(chatId, { fields, tamper: altering('client', 1) })
  }
  const [one, other] = [await auditOf('501'), await auditOf('502')]
  assert.equal(
    one?.differences.map(({ kind }) => kind),
    ['text'],
  )
  await command('rebuild', 'all')
  assert.equal([await auditOf('501'), await auditOf('502')], [one, other])

  const receipt = join(temporaryFolder(), 'receipt.json')
  await command('erase', '--account', 'acme', '--chat', '501', '--yes', '--receipt', receipt)
  await eventually('the erasure', async () => (await auditOf('501'))?.reason === 'erased')
  await command('rebuild', 'all')
  const erased = { state: 'not-compared', differences: [], reason: 'erased' }
  assert.equal([await auditOf('501'), await auditOf('502')], [erased, other])
})

audits('of a session that cannot be audited delay no other', async () => {
  // MongoDB refuses to look for this chat.
  const broken = { _id: 'acme/broken/agent/1', accountId: 'acme', chatId: { $unknown: 1 }, kind: 'agent' }
  const due = { state: 'due', differences: [] }
  await sessions.insertOne({ ...broken, applied: {}, audit: due } as never)
  await talk('601', 'one')
  await service.finishChat('601')
  assert.is((await auditOf('601'))?.state, 'compared')
  assert.equal((await sessions.findOneAndDelete({ _id: broken._id }))?.audit, due)
})

audits.run()
