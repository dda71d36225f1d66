import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { semaphore } from '../../../../src/bridge/shared/semaphore.ts'
import { inTurn } from '../../../../src/tools/simulator/behaviour.ts'
import { clientMessage, textMessage } from '../../../../src/tools/simulator/bot-events.ts'
import { randomNumbers } from '../../../../src/tools/simulator/random.ts'
import { runCommand } from '../../../support/command.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import type { World } from '../../../support/world.ts'

/** What a client does in a turn, and how many messages the day's bot gives then. */
const says = {
  hours: { text: 'hours', messages: 1 },
  click: { text: 'Opening hours', button: 'hours', messages: 1 },
  agent: { text: 'agent', messages: 1 },
  hello: { text: 'Hello', messages: 1 },
  thanks: { text: 'thank you', messages: 1 },
} as const
type Said = keyof typeof says
const kinds = ['hours', 'click', 'agent', 'hello', 'hello', 'thanks', 'thanks'] as const

const chatsAtOnce = 25
const withinMs = 120_000

/** The canary stands in what every client writes and in no report. */
export const canary = 'Ann Canary, +15550100'

/**
 * A day of conversations in a running bridge whose bot is the day's bot: hand-overs with and without an agent, agents
 * first, replies that the service refuses or that its network loses, clients who write twice, repeated events, late
 * events, erased persons. The same seed gives the same day, apart from what happens at the same time.
 */
export const playDay = async (here: World, chats: number, seed: number): Promise<void> => {
  const { service } = here
  const known = (chatId: string) => {
    const { delivered = [], invitations = [] } = service.chat(chatId) ?? {}
    return { messages: delivered.length, invitations: invitations.length }
  }
  const play = async (chatId: string, random: () => number): Promise<void> => {
    const reaches = (what: string, messages: number, invitations: number) => {
      const before = known(chatId)
      return () =>
        service.waitFor(
          `${what} in chat ${chatId}`,
          () => {
            const now = known(chatId)
            return now.messages >= before.messages + messages && now.invitations >= before.invitations + invitations
          },
          withinMs,
        )
    }
    const write = (said: Said, fields: object = {}) => {
      const { text, ...rest } = says[said]
      const words = said === 'hello' ? `${text}, I am ${canary}` : text
      const button = 'button' in rest ? { button_id: rest.button } : {}
      return service.clientWrites(chatId, words, { fields: { message: textMessage(words, button), ...fields } })
    }
    const ask = async (said: Said) => {
      const answered = reaches('an answer', says[said].messages, said === 'agent' ? 1 : 0)
      await write(said)
      await answered()
    }
    /** An agent takes over, or none is there and the bot apologizes. True if the chat goes on with the bot. */
    const handedOver = async (): Promise<boolean> => {
      if (random() < 0.2) await write('hours')
      else if (random() < 0.5) {
        const apology = reaches('an apology', 1, 0)
        await service.agentUnavailable(chatId)
        await apology()
        return true
      }
      await service.agentJoins(chatId)
      service.agentWrites(chatId, 'Hello, how can I help?')
      return false
    }

    if (random() < 0.03) {
      await service.agentJoins(chatId)
      await write('hours')
      return
    }
    const end = random()
    for (let left = 1 + Math.floor(random() * 4); left > 0; left--) {
      const said = kinds[Math.floor(random() * kinds.length)] ?? 'hello'
      const how = random()
      if (how < 0.04) {
        // The bridge invites an agent instead.
        const invited = reaches('an invitation', 0, 1)
        service.misbehave(inTurn({ kind: 'error', status: 400 }), chatId)
        await write(said)
        await invited()
        await service.agentJoins(chatId)
        break
      }
      if (how < 0.08) service.misbehave(inTurn({ kind: 'error', status: 500 }), chatId)
      if (how > 0.95) {
        const both = reaches('both answers', 2, 0)
        await Promise.all([write('hello'), write('thanks')])
        await both()
      }
      if (how > 0.9 && how < 0.95) {
        const id = `${chatId}-repeated-${left}`
        const answered = reaches('an answer', 1, 0)
        await write('thanks', { id })
        await write('thanks', { id })
        await answered()
      }
      await ask(said)
      if (said === 'agent' && !(await handedOver())) break
    }
    if (end < 0.5) await service.closeChat(chatId)
  }

  const room = semaphore(chatsAtOnce)
  await Promise.all(
    Array.from({ length: chats }, async (_, i) => {
      using _permit = await room()
      await play(`${i + 1}`, randomNumbers(seed + i))
    }),
  )
  await writeLate(here, chats)
  for (let chat = 2; chat <= chats; chat += Math.ceil(chats / 3)) await erase(here, `${chat}`)
}

/** A message of some chats was in quarantine all day, and an operator processes it. */
const writeLate = async (here: World, chats: number): Promise<void> => {
  const producer = plainClient(here.brokers).producer()
  await producer.connect()
  const messages = Array.from({ length: Math.ceil(chats / 100) }, (_, i) => ({
    key: 'acme',
    value: JSON.stringify(clientMessage({ chat_id: `${i * 100 + 1}`, client_id: `${i * 100 + 1}` })),
    headers: {
      id: `late-${i}`,
      interface: 'bot',
      received_at: new Date(Date.now() - 10_000).toISOString(),
      reason: 'invalid',
      problems: 'message: expected',
    },
  }))
  await producer.send({ topic: `${here.prefix}quarantine`, messages })
  await producer.disconnect()
  const { code, out, err } = await runCommand(['redrive', 'quarantine', '--account', 'acme'], here.env)
  assert.is(code, 0, err)
  assert.match(out, new RegExp(`${messages.length} processed`))
}

const erase = async (here: World, chatId: string): Promise<void> => {
  const receipt = join(temporaryFolder(), 'receipt.json')
  const args = ['erase', '--account', 'acme', '--client', chatId, '--yes', '--receipt', receipt]
  const { code, err } = await runCommand(args, here.env)
  assert.is(code, 0, err)
}
