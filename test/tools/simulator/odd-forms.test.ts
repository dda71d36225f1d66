import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceAccountOf } from '../../../src/tools/simulator/account.ts'
import { clientMessage, textMessage } from '../../../src/tools/simulator/bot-events.ts'
import { beyondDoubles, oddForm, type Path, valueAt, withValue } from '../../../src/tools/simulator/odd-forms.ts'
import { chatAccepted, clientUpdated } from '../../../src/tools/simulator/payloads.ts'
import { randomNumbers } from '../../../src/tools/simulator/random.ts'
import { startService } from '../../../src/tools/simulator/service.ts'
import { plain } from './accounts.ts'
import { createCleanUp } from './clean-up.ts'
import { startFakeBridge } from './fake-bridge.ts'

const { started, stopAll } = createCleanUp()

const odd = suite('odd forms of events')
odd.after.each(stopAll)

const forms = (payload: Readonly<Record<string, unknown>>, kept: ReadonlyArray<Path> = []) => {
  const random = randomNumbers(7)
  return Array.from({ length: 2_000 }, () => oddForm(payload, random, kept))
}

/** Payloads, and the paths that every odd form of them has unchanged. */
const fixed: ReadonlyArray<readonly [Readonly<Record<string, unknown>>, ReadonlyArray<Path>]> = [
  [chatAccepted(), [['event_name'], ['chat_id']]],
  [clientUpdated(), [['event_name'], ['client_id']]],
  [clientMessage(), [['event'], ['id'], ['chat_id'], ['client_id']]],
]
for (const [payload, paths] of fixed)
  odd(
    `${payload.event_name ?? payload.event} keeps what makes it an event, and every other field is odd in some`,
    () => {
      const all = forms(payload)
      for (const path of paths) assert.ok(all.every((form) => valueAt(form.payload, path) === valueAt(payload, path)))
      const names = new Set(all.map(({ path }) => path[0]))
      const others = Object.keys(payload).filter((name) => !paths.some(([first]) => first === name))
      assert.equal([...names].sort(), others.sort())
    },
  )

odd('the message of a client stays an object, with odd fields', () => {
  const all = forms(clientMessage({ message: textMessage('Hello') }))
  assert.ok(all.every(({ payload: { message } }) => typeof message === 'object' && message !== null))
  assert.ok(all.some(({ payload }) => valueAt(payload, ['message', 'text']) === undefined))
})

odd('a kept path and what holds it stay as they are', () => {
  const payload = chatAccepted()
  const path = ['visitor', 'chats_count']
  const all = forms(payload, [path])
  assert.ok(all.every((form) => valueAt(form.payload, path) === valueAt(payload, path)))
  assert.ok(all.some((form) => valueAt(form.payload, ['visitor', 'name']) === undefined))
})

odd(
  'a number that no double can hold is sent as a number, also in an item of a list and beside another odd field',
  () => {
    const sent = withValue(
      withValue({ a: { b: 1 }, tags: [{ id: 1 }] }, ['a', 'b'], beyondDoubles),
      ['tags', '0', 'id'],
      2,
    )
    assert.is(JSON.stringify(sent), '{"a":{"b":1e400},"tags":[{"id":2}]}')
    const agents = forms(chatAccepted()).filter(({ path }) => path.join('.') === 'agent.id')
    assert.ok(agents.some(({ payload }) => JSON.stringify(payload).includes('"id":1e400')))
    assert.not.ok(agents.some(({ payload }) => JSON.stringify(payload).includes('"1e400"')))
  },
)

odd('the same seed gives the same forms', () => {
  assert.equal(forms(chatAccepted()), forms(chatAccepted()))
})

odd(
  'the service sends a share of its events in an odd form too, to a chat of their own, and says what became of them',
  async () => {
    const bridge = started(
      await startFakeBridge(({ body }) =>
        body.includes('"odd-14"') ? { status: 400, body: {} } : { status: 200, body: { result: 'ok' } },
      ),
    )
    const account = serviceAccountOf({ ...plain, webhooks: { token: 'webhooks-token-0001' } }, bridge.url)
    const service = started(await startService({ accounts: [account], odd: { share: 0.5, seed: 3 }, attempts: 1 }))
    for (let chat = 1; chat <= 20; chat++) {
      await service.webhook(account.id, chatAccepted({ chat_id: chat }))
      await service.clientWrites(String(chat), 'Hello')
    }
    const copies = service.oddCopies()
    assert.ok(copies.length > 10 && copies.length < 30)
    assert.is(bridge.heard.length, 40 + copies.length)
    const [types, ofCopies] = [false, true].map(
      (isCopy) =>
        new Set(
          bridge.heard.filter(({ body }) => body.includes('"odd-') === isCopy).map(({ contentType }) => contentType),
        ),
    )
    assert.equal([...(types ?? [])], ['application/json'])
    assert.ok((ofCopies?.size ?? 0) > 2, 'a body that is JSON is sent with other types too')
    const bodies = bridge.heard.map(({ body }) => JSON.parse(body))
    assert.equal(
      bodies.filter(({ chat_id }) => String(chat_id).startsWith('odd-')).map(({ chat_id }) => chat_id),
      copies.map(({ subject }) => subject),
    )
    assert.equal(new Set(bodies.flatMap(({ id }) => id ?? [])).size, bodies.filter(({ id }) => id !== undefined).length)
    const refused = copies.filter(({ answer }) => answer?.kind === 'answered' && answer.status === 400)
    assert.equal([...new Set(refused.map(({ subject }) => subject))], ['odd-14'])
  },
)

odd('without the option no event has an odd form', async () => {
  const bridge = started(await startFakeBridge())
  const account = serviceAccountOf({ ...plain, webhooks: { token: 'webhooks-token-0001' } }, bridge.url)
  const service = started(await startService({ accounts: [account] }))
  await service.webhook(account.id, chatAccepted())
  assert.is(bridge.heard.length, 1)
})

odd.run()
