import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ChatErased } from '../../contracts/events/index.ts'
import type { Instant } from '../../contracts/primitives.ts'
import { forgetWith } from '../../src/bot/forget.ts'
import type { Handlers } from '../../src/bot/handlers.ts'
import { worker } from '../../src/bot/worker.ts'
import type { IncomingRecord, OutgoingRecord } from '../../src/bridge/domain/log/record.ts'
import { anEvent, at } from '../support/given-events.ts'
import { givenChat } from './given-chat.ts'

const forgetting = suite('a bot that forgets')
const now = () => at('12:00:00') as Instant
const erased = anEvent('ChatErased', 'x1', at('11:00:00'), { topic: 'bot-conversations' })
const record = {
  topic: 'bot-conversations',
  partition: 0,
  offset: 0,
  timestamp: 0,
  key: null,
  value: null,
  headers: {},
}

/** What a bot with these handlers publishes when it reads ChatErased. */
const published = async (handlers: Handlers) => {
  const sent: OutgoingRecord[] = []
  const errors: object[] = []
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (fields: object) => void errors.push(fields) }
  const { handle, idle } = worker({
    decode: () => E.right(erased),
    newChat: () => givenChat(handlers),
    stopping: new AbortController().signal,
    forget: forgetWith(handlers, 'shop-bot', now, log),
    append: async (each) => {
      sent.push(each)
      return E.right(undefined)
    },
    sleep: async () => {},
    log,
  })
  const slice = { topic: 'bot-conversations' as const, partition: 0, records: [record as IncomingRecord] }
  await handle(slice as never, { isCurrent: () => true, done: () => {}, pause: () => () => {} })
  await idle()
  return { sent, errors }
}

forgetting('confirms an erasure after its handler has ended', async () => {
  const forgotten: string[] = []
  const { sent } = await published({ onChatErased: ({ data }) => void forgotten.push(data.chatId) })
  assert.equal(forgotten, ['2037'])
  assert.equal(
    sent.map(({ topic, key, value }) => [topic, key, JSON.parse(String(value))]),
    [
      [
        'erasure-confirmations',
        'acme/1233',
        {
          accountId: 'acme',
          erasureId: 'erasure',
          group: 'shop-bot',
          erasedAt: now(),
          chatId: '2037',
          clientId: '1233',
        },
      ],
    ],
  )
})

forgetting('does not confirm if the handler fails', async () => {
  const { sent, errors } = await published({
    onChatErased: () => {
      throw new Error('no database')
    },
  })
  assert.equal([sent, errors.length], [[], 1])
})

forgetting('does not confirm, and goes on, if the handler does not end', async () => {
  const errors: object[] = []
  const log = { error: (fields: object) => void errors.push(fields) }
  const forget = forgetWith({ onChatErased: () => new Promise(() => {}) }, 'shop-bot', now, log, 20)
  assert.equal([await forget(erased as ChatErased), errors.length], [undefined, 1])
})

forgetting('confirms nothing if it has no handler for erasures', async () => {
  assert.equal((await published({})).sent, [])
})

forgetting.run()
