import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { erasedMeanwhile } from '../../../src/bot/what-if/erased-meanwhile.ts'
import { type ErasedKey, nameOfErased } from '../../../src/bridge/domain/person/erased.ts'
import { client } from './given-chat.ts'

const meanwhile = suite('persons who are erased while what-if runs')

const [before, after] = ['2026-01-31T09:00:00Z', '2026-02-01T09:00:00Z'].map((time) => new Date(time))
const event = client('m1', '10:00:00')

/** MongoDB with the erasure of a client, which begins when `erase` is called. */
const erasuresOf = (clientId: string) => {
  let erased: Date | undefined
  const asked: string[] = []
  return {
    asked,
    erase: () => {
      erased = after
    },
    known: {
      newestErasure: async () => erased ?? before,
      erasedAt: async (keys: ReadonlyArray<ErasedKey>) => {
        const names = keys.map(nameOfErased)
        asked.push(...names)
        const name = nameOfErased({ of: 'client', key: `acme/${clientId}` })
        return new Map(erased !== undefined && names.includes(name) ? [[name, erased] as const] : [])
      },
    },
  }
}

meanwhile('without a new erasure no turn costs a question', async () => {
  let at = 0
  const { known, asked } = erasuresOf(event.data.clientId)
  const { isErased } = await erasedMeanwhile(known, () => at)
  for (; at < 10_000; at += 500) assert.is(await isErased([event]), false)
  assert.equal(asked, [])
})

meanwhile('a new erasure is noticed within a second, for its person only', async () => {
  let at = 0
  const { known, erase } = erasuresOf(event.data.clientId)
  const { isErased } = await erasedMeanwhile(known, () => at)
  erase()
  at = 1_000
  const other = { ...event, data: { ...event.data, chatId: '9' as never, clientId: '9' as never } }
  assert.equal([await isErased([other]), await isErased([event])], [false, true])
})

meanwhile('before the report is written every chat is looked up', async () => {
  const { known, erase } = erasuresOf(event.data.clientId)
  const { among } = await erasedMeanwhile(known, () => 0)
  const chats = new Map([
    ['1', [event]],
    ['2', [{ ...event, data: { ...event.data, chatId: '2' as never, clientId: '9' as never } }]],
  ])
  assert.equal([...(await among(chats))], [])
  erase()
  assert.equal([...(await among(chats))], ['1'])
})

meanwhile.run()
