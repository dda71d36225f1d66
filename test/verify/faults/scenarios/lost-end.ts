import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { openKeyFile } from '../../../../src/bridge/archive/key-file.ts'
import { agentJoined } from '../../../../src/tools/simulator/bot-events.ts'
import { eventually } from '../../../support/eventually.ts'
import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import type { Documents } from '../history.ts'
import { observedWorld } from '../observed-world.ts'
import { readLog } from '../read-log.ts'
import { botLogic, repliesTo } from '../replies.ts'
import type { Scenario } from '../scenario.ts'
import { cutEnd } from '../segment.ts'
import { streams } from '../streams.ts'
import { type Event, message } from '../traffic.ts'

const agentJoins = (chat: number): Event => {
  const body = JSON.stringify(agentJoined({ id: `j-${chat}`, chat_id: String(chat), client_id: String(chat) }))
  return { chat: `bot-conversations acme/${chat}`, seq: 2, api: 'bot', body }
}

/** What `mongodump` saves of a database. The result puts it in the place of what the database has then. */
const copyOf = async (url: string) => {
  await using client = await MongoClient.connect(url)
  const collections = await client.db().listCollections({ type: 'collection' }).toArray()
  const names = collections.flatMap(({ name }) => (name.startsWith('system.') ? [] : [name]))
  const copied = await Promise.all(
    names.map(async (name) => [name, await client.db().collection(name).find().toArray()] as const),
  )
  return async () => {
    await using again = await MongoClient.connect(url)
    for (const [name, documents] of copied) {
      await again.db().collection(name).deleteMany({})
      if (documents.length > 0) await again.db().collection(name).insertMany(documents)
    }
  }
}

const lost = 10
/** Chats of the second part begin here, so their documents are made from records that are in the log. */
const secondPart = 501
const withBot = [901, 902, 903, 904]

const ofChats = (documents: Documents, from: number): Documents =>
  Object.fromEntries(
    Object.entries(documents).filter(([id]) => {
      const [, view, chat] = /^(\w+) acme\/(\d+)/.exec(id) ?? []
      return (view === 'chats' || view === 'timeline') && Number(chat) >= from && Number(chat) < 900
    }),
  )

/**
 * The broker is killed and each partition loses its last records, also those of the archive and of bot-replies, whose
 * next replies get offsets that egress has committed. Meanwhile events wait in the journal. After the restart they get
 * the offsets of the lost records, before any consumer can compare. At the end MongoDB gets back what it had before the
 * loss: a copy that has the lost records, and not those that got their offsets.
 */
export const lostEnd: Scenario = {
  name: 'lost-end',
  promises: '21',
  fault:
    'broker SIGKILL, the last records of each partition cut, as many events waiting in the journal; then MongoDB restored from a copy of before',
  controls: ['an offset counts only with its leader epoch'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const keyFile = join(cluster.dataDir, `lost-end-${Date.now()}.json`)
    openKeyFile(keyFile, true)
    const here = await observedWorld(cluster, without, { replyWithin: 3_600_000 })
    const place = await here.place(['ingress', 'projector', 'egress', 'archiver'], { ARCHIVE_KEY_FILE: keyFile })
    const bridge = await place.start()
    await here.ready(bridge)
    const posts = here.recorder([place])
    const count = size === 'long' ? 1_000 : 200
    const bot = await botLogic(here)
    for (const chat of withBot) await posts.send(message(chat, 1))
    const early = repliesTo(withBot.map(String), 12)
    await bot.say(early)
    await eventually('the early replies', () => here.shown().length >= early.length, 60_000)
    await posts.drive(streams({ workers: 8, messages: true }), { count })
    const isArchived = async () => {
      const [chats, archived] = [await readLog(here.brokers, here.prefix, ['chats']), await archive()]
      return chats.every(({ headers }) => archived.has(`${headers.ce_id}`)) || undefined
    }
    const archive = async () =>
      new Set((await readLog(here.brokers, here.prefix, ['archive-chats'])).map(({ headers }) => `${headers.ce_id}`))
    await here.caughtUp()
    await eventually('the archive', isArchived, 60_000)

    const restore = await copyOf(here.mongo.url)
    cluster.broker.kill()
    let cut = 0
    for (const topic of ['chats', 'archive-chats', 'bot-conversations', 'bot-replies'])
      for (let partition = 0; partition < 4; partition++)
        cut += cutEnd(cluster, { topic: `${here.prefix}${topic}`, partition }, lost)
    const before = posts.history.length
    for (const chat of withBot) await posts.send(agentJoins(chat))
    await posts.drive(streams({ workers: 8, from: secondPart }), { count })
    await cluster.broker.restart()
    const drained = await here.drained(bridge, 120_000)
    const replies = withBot.map((chat) => ({ chat: String(chat), id: `r-${chat}`, text: 'too late' }))
    await bot.say(replies)
    const caughtUp = await here.caughtUp(90_000)
    const isWhole = await eventually('the archive', isArchived, 60_000).then(
      () => true,
      () => false,
    )
    const outcomes = () =>
      here.log().then((log) => log.filter(({ headers }) => /BotReplySuppressed/.test(`${headers.ce_type}`)))
    const suppressed = await eventually(
      'the outcomes of the replies',
      async () => (await outcomes()).length >= replies.length || undefined,
      60_000,
    ).catch(() => false)
    await bot.stop()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const shown = here.shown().flatMap(({ id }) => (early.some((reply) => reply.id === id) ? [] : [id]))
    const verdict = await here.verdict(posts.history.slice(before).filter(({ chat }) => !/ acme\/90\d$/.test(chat)))
    await bridge.kill('SIGTERM')
    await restore()
    await here.ready(await place.start())
    const differing = async () =>
      wrongDocuments(ofChats(expected, secondPart), ofChats(await here.documents(), secondPart))
    await eventually('the views after the restore', async () => (await differing()).length === 0, 90_000).catch(
      () => undefined,
    )
    const afterRestore = await differing()
    await here.stop()
    return findingsOf(verdict, {
      injected: cut,
      failures: [
        ...unless(drained, 'the journal was not drained'),
        ...unless(caughtUp, 'the projector did not catch up'),
        ...unless(isWhole, 'events of the topic are not in the archive'),
        ...unless(suppressed === true, 'a reply after AGENT_JOINED was not suppressed'),
        ...wrong('replies over an agent', shown),
        ...wrong(
          'documents that differ from the fold of the log',
          wrongDocuments(ofChats(expected, secondPart), ofChats(actual, secondPart)),
        ),
        ...wrong('documents that differ from the fold of the log after a restore of MongoDB', afterRestore),
      ],
      notes: [`${cut} records cut`],
    })
  },
}
