import { join } from 'node:path'
import { agentUnavailable, clientMessage, textMessage } from '../../../../src/tools/simulator/bot-events.ts'
import { runCommand } from '../../../support/command.ts'
import { eventually } from '../../../support/eventually.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import { unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { readLog } from '../read-log.ts'
import type { Scenario } from '../scenario.ts'
import type { Event } from '../traffic.ts'

const chat = '7001'
const secret = 'CANARY'

const said = (id: string, words: string): Event => {
  const body = JSON.stringify(clientMessage({ id, chat_id: chat, client_id: chat, message: textMessage(words) }))
  return { chat: `bot-conversations acme/${chat}`, seq: 1, api: 'bot', body }
}
const lastEvent = (): Event => {
  const body = JSON.stringify(agentUnavailable({ id: 'last', chat_id: '7002', client_id: '7002' }))
  return { chat: 'bot-conversations acme/7002', seq: 1, api: 'bot', body }
}

/** What was received of a person before an erasure, and comes to the topics after it: from a journal, and again. */
export const erasedLate: Scenario = {
  name: 'erased-late',
  promises: '17',
  fault:
    'a person is erased while the journal of a dead bridge has a message, and before a message comes again; in the long form also with the projector stopped',
  controls: ['what was received before an erasure is stored without its person'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const { broker } = cluster
    const here = await observedWorld(cluster, without, { replyWithin: 3_600_000 })
    const [intake, views] = [await here.place(['ingress']), await here.place(['projector'])]
    let [ingress, projector] = await Promise.all([intake.start(), views.start()])
    await Promise.all([ingress, projector].map(here.ready))
    const posts = here.recorder([intake])
    const telling = async () =>
      Object.entries(await here.documents()).flatMap(([id, document]) =>
        JSON.stringify(document).includes(secret) ? [id] : [],
      )
    const erase = () =>
      runCommand(
        ['erase', '--account', 'acme', '--chat', chat, '--yes', '--receipt', join(temporaryFolder(), 'receipt.json')],
        here.env,
      )
    await posts.send(said('m1', `${secret} early`))
    await eventually('the early message in the views', async () => (await telling()).length > 0)
    const early = (await readLog(here.brokers, here.prefix, ['bot-conversations'])).find(
      ({ headers }) => `${headers.ce_id}` === 'm1',
    )

    let refused = true
    if (size === 'long') {
      await projector.kill('SIGTERM')
      await posts.send(said('m2', `${secret} unseen`))
      refused = (await erase()).code !== 0
      projector = await views.start()
      await here.ready(projector)
      await here.caughtUp()
    }
    // A broker that is only frozen would read afterwards what was sent to it meanwhile.
    broker.kill()
    const late = await posts.send(said('m3', `${secret} late`))
    const waited = (await ingress.metric('livechat_journal_records')) ?? 0
    await ingress.kill('SIGKILL')
    await broker.restart()
    const erased = await erase()
    await here.caughtUp()
    const left = await telling()

    ingress = await intake.start()
    await here.ready(ingress)
    const drained = await here.drained(ingress)
    const producer = plainClient(here.brokers).producer()
    await producer.connect()
    if (early !== undefined)
      await producer.send({
        topic: `${here.prefix}bot-conversations`,
        messages: [{ key: early.key, value: early.value, headers: early.headers }],
      })
    await producer.disconnect()
    await posts.send(lastEvent())
    const caughtUp = await here.caughtUp(90_000)
    const again = await telling()
    await here.stop()
    return {
      injected: size === 'long' ? 3 : 2,
      accepted: posts.accepted(),
      lost: 0,
      duplicated: 0,
      inverted: 0,
      longestStall: 0,
      failures: [
        ...unless(refused, 'an erasure was accepted although the views lacked a message'),
        ...unless(late !== undefined && waited > 0, 'no message waited in the journal'),
        ...unless(early !== undefined, 'the early message is not in the log'),
        ...unless(erased.code === 0, `erase: ${erased.out}${erased.err}`),
        ...wrong('documents that tell something after the erasure', left),
        ...unless(drained, 'the journal was not drained'),
        ...unless(caughtUp, 'the projector did not catch up'),
        ...wrong('documents that tell something of what came later', again),
      ],
      notes: [],
    }
  },
}
