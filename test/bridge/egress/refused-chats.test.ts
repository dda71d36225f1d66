import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulation } from './support/simulation.ts'
import { appendServiceEvent, sent } from './support/talk.ts'
import { account, answer, botMessage, id, networkFailure, ok } from './support/values.ts'

const test = suite('chats that the service refuses while it takes others')

const aMinute = 60_000
const isRefused = (chat: string) => chat.startsWith('bad')
type Simulation = ReturnType<typeof simulation>

const settings = { attempts: 4, deadlineMs: 20_000, replyWithin: 3000 }

/** A client writes, and the bot replies. */
const talk = (w: Simulation, chat: string) => {
  appendServiceEvent(w, 'ClientMessageReceived', `m-${chat}`, chat)
  w.command(botMessage(`r-${chat}`, { chatId: chat, inReplyTo: `m-${chat}` }))
}
/** Clients write, each in another chat. Returns how long each waited for the bot's reply. */
const live = async (w: Simulation, name: string, count: number, everyMs = 2000) => {
  const from = w.time.monotonic()
  for (let i = 0; i < count; i += 1) {
    talk(w, `${name}-${i}`)
    await w.time.pass(everyMs)
  }
  return Array.from({ length: count }, (_, i) => {
    const request = w.requests.find(({ body }) => body.id === `r-${name}-${i}`)
    return request === undefined ? 'never' : request.at - from - i * everyMs
  })
}
const outcomesOf = (w: Simulation, commandId: string) =>
  w.outcomes().flatMap((event) => {
    if (event.data.commandId !== commandId) return []
    return [event.type === 'BotReplyFailed' ? [event.data.reason, event.data.detail] : [event.type]]
  })
const requestsFor = (w: Simulation, commandId: string) => sent(w).filter(([sentId]) => sentId === commandId).length

for (const status of [500, 502, 404])
  for (const chats of [3, 9])
    test(`${chats} chats that are answered ${status} delay no reply to another client, and no agent`, async () => {
      const w = simulation({
        accounts: [account(settings)],
        answer: ({ chat_id }) => ({ result: isRefused(chat_id) ? answer(status) : ok }),
      })
      const worker = await w.start()
      for (let i = 0; i < chats; i += 1) talk(w, `bad-${i}`)
      // Nobody else is there meanwhile, so the service might be away.
      await w.time.pass(aMinute)
      assert.equal(await live(w, 'good', 12), Array(12).fill(0))
      appendServiceEvent(w, 'ClientMessageReceived', 'm-silent', 'silent')
      await w.time.pass(settings.replyWithin + 1)
      assert.is(requestsFor(w, 'watchdog-m-silent'), 1)
      const [gate] = worker.gates()
      assert.equal(
        [gate?.isOpen, gate?.refused?.chats, gate?.refused?.examples[0]?.answer],
        [false, chats, String(status)],
      )
    })

test('a chat that is refused is tried on, and has its agent soon after the service takes it', async () => {
  const service = { isWell: false }
  const w = simulation({
    accounts: [account(settings)],
    answer: ({ chat_id }) => ({ result: isRefused(chat_id) && !service.isWell ? answer(404) : ok }),
  })
  const worker = await w.start()
  for (let i = 0; i < 50; i += 1) talk(w, `bad-${i}`)
  await live(w, 'good', 60)
  service.isWell = true
  await w.time.pass(aMinute)
  const agents = w.applied.filter((each) => each.startsWith('watchdog-m-bad'))
  assert.is(new Set(agents).size, 50)
  assert.equal(worker.gates()[0]?.refused, undefined)
})

test('after an outage of the whole service no chat counts as refused', async () => {
  const w: Simulation = simulation({
    accounts: [account({ ...settings, attempts: 100, deadlineMs: 10 * aMinute, replyWithin: aMinute })],
    answer: () => ({ result: w.time.monotonic() < 2 * aMinute ? networkFailure('ECONNREFUSED') : ok }),
  })
  const worker = await w.start()
  for (let i = 0; i < 40; i += 1) talk(w, `c-${i}`)
  const refused: unknown[] = []
  for (let i = 0; i < 300; i += 1) {
    await w.time.pass(1000)
    refused.push(...worker.gates().flatMap(({ refused: of }) => of ?? []))
  }
  assert.equal([refused, w.isDone()], [[], true])
})

const authorization = { clientId: id('acme'), secretKey: 'secret-key-0123456789' }
for (const status of [403, 404]) {
  test(`a reply that is answered ${status} while the service takes other chats is refused after its attempts`, async () => {
    const words = '{"error":{"code":"gone","message":"This client has left."}}'
    const w = simulation({
      accounts: [account({ ...settings, deadlineMs: 5 * aMinute, replyWithin: 5 * aMinute })],
      answer: ({ chat_id }) => ({ result: isRefused(chat_id) ? answer(status, words) : ok }),
    })
    await w.start()
    talk(w, 'bad')
    await live(w, 'good', 200, 50)
    assert.equal([requestsFor(w, 'r-bad'), outcomesOf(w, 'r-bad')], [4, [['rejected', words]]])
  })

  test(`a reply is not refused by ${status} while the service takes no other chat`, async () => {
    const w = simulation({
      accounts: [account({ ...settings, deadlineMs: aMinute, replyWithin: 5 * aMinute })],
      answer: () => ({ result: answer(status) }),
    })
    await w.start()
    talk(w, 'bad')
    await live(w, 'good', 20)
    await w.time.pass(aMinute)
    assert.equal(outcomesOf(w, 'r-bad'), [['deadline', undefined]])
    assert.ok(requestsFor(w, 'r-bad') > settings.attempts)
  })

  test(`${status} does not count if other chats were taken with another access token only`, async () => {
    let issued = 0
    const w: Simulation = simulation({
      accounts: [account({ ...settings, authorization, deadlineMs: aMinute, replyWithin: 5 * aMinute })],
      answer: ({ chat_id }) => ({ result: isRefused(chat_id) ? answer(status) : ok }),
      // Each token is used once.
      ports: {
        issueToken: async () => {
          issued += 1
          return { token: `token-${issued}`, expiresIn: 0 }
        },
      },
    })
    await w.start()
    talk(w, 'bad')
    await live(w, 'good', 40)
    assert.equal(outcomesOf(w, 'r-bad'), [['deadline', undefined]])
  })
}

for (const options of [{}, { authorization }])
  test(`401 is never about a client${'authorization' in options ? ', with an access token' : ''}`, async () => {
    const w = simulation({
      accounts: [account({ ...settings, ...options, deadlineMs: aMinute, replyWithin: 5 * aMinute })],
      answer: ({ chat_id }) => ({ result: isRefused(chat_id) ? answer(401) : ok }),
    })
    await w.start()
    talk(w, 'bad')
    await live(w, 'good', 40)
    assert.equal(outcomesOf(w, 'r-bad'), [['deadline', undefined]])
  })

test('an invitation that is refused is never given up, and the gate says for which chat and how it is answered', async () => {
  const w = simulation({
    accounts: [account(settings)],
    answer: ({ chat_id }) => ({ result: isRefused(chat_id) ? answer(403) : ok }),
  })
  const worker = await w.start()
  talk(w, 'bad')
  await live(w, 'good', 600)
  assert.equal(outcomesOf(w, 'watchdog-m-bad'), [])
  assert.ok(requestsFor(w, 'watchdog-m-bad') > 100)
  assert.equal(worker.gates(), [
    { account: 'acme', isOpen: false, refused: { chats: 1, examples: [{ chat: 'acme/bad', answer: '403' }] } },
  ])
})

test.run()
