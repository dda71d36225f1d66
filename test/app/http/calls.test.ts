import { MessageChannel } from 'node:worker_threads'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { joined } from '../../../src/app/http/calls.ts'

type Here = { readonly shout: (text: string) => Promise<string>; readonly note: (text: string) => void }
type There = { readonly ask: (text: string) => Promise<string>; readonly break: () => Promise<never> }

const given = () => {
  const { port1, port2 } = new MessageChannel()
  const notes: string[] = []
  const messages: number[] = []
  port2.on('message', ({ asked }: { asked: unknown[] }) => messages.push(asked.length / 3))
  const there = joined<Here>(port2, {
    ask: async (text: string) => there.call('shout', text),
    break: () => Promise.reject(new Error('secret')),
  })
  const here = joined<There>(port1, {
    shout: async (text: string) => text.toUpperCase(),
    note: (text: string) => {
      notes.push(text)
    },
  })
  return { here, there, notes, messages, close: () => port1.close() }
}

const calls = suite('calls between threads')

calls('either side may call the other, also while it answers', async () => {
  const { here, close } = given()

  assert.equal(await Promise.all(['a', 'b', 'c'].map((text) => here.call('ask', text))), ['A', 'B', 'C'])
  close()
})

calls('what is said in one turn goes in one message, in its order', async () => {
  const { here, there, notes, messages, close } = given()

  for (const text of ['1', '2', '3']) there.tell('note', text)
  await there.call('shout', '')
  await Promise.all([here.call('ask', 'a'), here.call('ask', 'b')])

  assert.equal(notes, ['1', '2', '3'])
  assert.is(
    messages.find((count) => count > 1),
    2,
  )
  close()
})

calls('a rejection is told, and not what it was', async () => {
  const { here, close } = given()
  const said = await here.call('break').catch(({ message }: Error) => message)

  assert.is(said, 'a call to the other thread has failed')
  close()
})

calls.run()
