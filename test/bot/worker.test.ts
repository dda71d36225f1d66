import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clientWrites } from '../../src/bot/harness.ts'
import { worker } from '../../src/bot/worker.ts'
import type { IncomingRecord } from '../../src/bridge/domain/log/record.ts'
import { silent } from '../support/silent-log.ts'

const reading = suite('a bot that reads its topic')

const recordAt = (offset: number): IncomingRecord =>
  ({
    topic: 'bot-conversations',
    partition: 3,
    offset,
    timestamp: 0,
    key: Buffer.from('acme/2037'),
    value: null,
    headers: {},
  }) as unknown as IncomingRecord

reading(
  'an event that cannot be decoded is skipped with a line that says which, and the next one is handled',
  async () => {
    const warned: unknown[] = []
    const received: string[] = []
    const done: number[] = []
    const { handle, idle } = worker({
      decode: ({ offset }) => (offset === 7 ? E.left('no JSON') : E.right(clientWrites('Hello'))),
      newChat: () => ({
        receive: ({ event, finish }) => {
          received.push(event.type)
          finish()
        },
        erase: ({ finish }) => finish(),
        idle: async () => {},
        isIdle: () => true,
      }),
      forget: async () => undefined,
      append: async () => E.right(undefined),
      sleep: async () => {},
      log: { ...silent, warn: (...line) => void warned.push(line) },
      stopping: new AbortController().signal,
    })
    const slice = { topic: 'bot-conversations' as const, partition: 3, records: [recordAt(7), recordAt(8)] }
    await handle(slice as never, {
      isCurrent: () => true,
      done: (offset: number) => void done.push(offset),
      pause: () => () => {},
    })
    await idle()
    assert.equal(warned, [
      [{ topic: 'bot-conversations', partition: 3, offset: 7 }, 'an event cannot be decoded and is skipped'],
    ])
    assert.equal([received, done.at(-1)], [['ClientMessageReceived'], 8])
  },
)

reading.run()
