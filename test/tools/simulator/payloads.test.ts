import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as botEvents from '../../../src/tools/simulator/bot-events.ts'
import * as payloads from '../../../src/tools/simulator/payloads.ts'
import { generate } from '../../support/generate.ts'
import { wireFormNamed } from '../../support/wire-form.ts'

const client = 'widget_id visitor organization status assigned_agent tags'
const chat = `${client} user_token chat_id session page analytics agent`

/** Each event's fields by the reference's table (protocol, Resources, per-event field sets). */
const webhooks = [
  [
    payloads.callEvent(),
    wireFormNamed('call_event'),
    'chat_id widget_id visitor agent department session page call analytics',
  ],
  [payloads.chatAccepted(), wireFormNamed('chat_accepted'), `${chat} department`],
  [payloads.chatAssigned(), wireFormNamed('chat_assigned'), `${chat} assign_to`],
  [payloads.chatUpdated(), wireFormNamed('chat_updated'), `${chat} department`],
  [payloads.clientUpdated(), wireFormNamed('client_updated'), `${client} user_token client_id`],
  [
    payloads.chatFinished(),
    wireFormNamed('chat_finished'),
    `${client} chat_id session page analytics agents chat plain_messages html_messages`,
  ],
  [
    payloads.offlineMessage(),
    wireFormNamed('offline_message'),
    `${client} user_token chat_id session page analytics message offline_message_id`,
  ],
] as const

const payload = suite('payloads')

for (const [example, codec, fields] of webhooks)
  payload(`${example.event_name} has the fields of the reference and passes its contract`, () => {
    assert.equal(Object.keys(example).sort(), ['event_name', ...fields.split(' ')].sort())
    assert.is(codec.decode(example)._tag, 'Right')
  })

const events = [
  [botEvents.clientMessage(), wireFormNamed('CLIENT_MESSAGE')],
  [botEvents.inviteAgent(), wireFormNamed('INVITE_AGENT')],
  [botEvents.agentJoined(), wireFormNamed('AGENT_JOINED')],
  [botEvents.agentUnavailable(), wireFormNamed('AGENT_UNAVAILABLE')],
  [botEvents.chatClosed(), wireFormNamed('CHAT_CLOSED')],
] as const

for (const [example, codec] of events)
  payload(`${example.event} passes its contract`, () => {
    assert.is(codec.decode(example)._tag, 'Right')
  })

payload('overrides replace fields and add new ones', () => {
  const example = payloads.chatAccepted({ chat_id: 1, topic: { topic_id: 2 } })
  assert.equal([example.chat_id, example.topic, example.widget_id], [1, { topic_id: 2 }, '3948'])
})

payload('the log of a rated chat ends now, and passes its contract', () => {
  const [before, rated] = [Math.floor(Date.now() / 1000), payloads.chatRated(7, 'bad')]
  const times = rated.chat.messages.map(({ timestamp }) => timestamp)
  assert.equal([rated.chat_id, rated.chat.rate, (times[1] ?? 0) - (times[0] ?? 0)], [7, 'bad', 7])
  assert.ok((times.at(-1) ?? 0) >= before)
  assert.is(wireFormNamed('chat_finished').decode(rated)._tag, 'Right')
})

payload('a load is the same for the same seed, and different for another seed', () => {
  assert.equal([...generate(1, 50)], [...generate(1, 50)])
  assert.not.equal([...generate(1, 50)], [...generate(2, 50)])
})

payload('a load has 500 chats, about 1.3 KB each time, no two alike, counted up within each chat', () => {
  const load = [...generate(1, 10_000)]
  const texts = load.map((one) => JSON.stringify(one))
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length
  const byChat = Map.groupBy(load, ({ chat_id }) => chat_id)
  const counted = [...byChat.values()].every((ones) => ones.every(({ visitor }, i) => visitor.chats_count === i + 1))
  assert.equal([byChat.size, new Set(texts).size, counted], [500, 10_000, true])
  assert.ok(bytes > 1200 && bytes < 1450, `${bytes} bytes`)
})

payload.run()
