// Makes recorded.jsonl.br: `node test/golden/record.ts`. What it records is an input of the replay. So a change of this
// file changes every expectation; the replay itself needs only what was recorded.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { samples } from '../support/samples.ts'
import { botEvents, bridgeOf, oddForm, payloads, randomNumbers, startService, toRecord } from './bridge.ts'
import { standAt } from './fixed.ts'
import { type Answer, accounts, type Input, newestToken, start, writeRecorded } from './recorded.ts'

const inputs: Input[] = []
let at = start
const wait = (ms: number) => {
  at += ms
  standAt(at)
}
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
standAt(at)

const token = 'token-of-the-recorder'
/** Answers as a bridge does, and keeps the requests. */
const recorder = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = '', url: path = '', headers: all } = request
  const kept = ['content-type', 'authorization'].flatMap((name) => {
    const value = all[name]
    return typeof value === 'string' ? [[name, value === token ? newestToken : value] as const] : []
  })
  inputs.push({ at, send: { method, path, headers: Object.fromEntries(kept), body: Buffer.concat(chunks).toString() } })
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(path === '/oauth/token' ? { access_token: token, expires_in: 3600 } : { result: 'ok' }))
})
recorder.listen(0, '127.0.0.1')
await once(recorder, 'listening')
const url = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`

const service = await startService({
  accounts: accounts.map((account) => ({
    id: account.id,
    providerId: account.bot.providerId,
    token: account.bot.token,
    ...('authorization' in account.bot && { authorization: account.bot.authorization }),
    bridge: bridgeOf(url, account),
  })),
  timeoutMs: 30_000,
  now: () => at,
})

let ids = 0
/** The simulator's ids are random. These are not. */
const newId = () => `e-${String(++ids).padStart(4, '0')}`
const of = (accountId: string, more: object = {}) => ({ accountId, fields: { id: newId(), ...more } })

const append = (
  topic: string,
  key: string | null,
  value: string | object | null,
  headers: Readonly<Record<string, string>> = {},
) => {
  const text = value === null || typeof value === 'string' ? value : JSON.stringify(value)
  inputs.push({ at, append: { topic, key, value: text, headers } })
}

type Command = {
  readonly accountId?: string
  readonly chatId: string
  readonly clientId?: string
  readonly id?: string
}
const command = (
  type: string,
  {
    accountId = 'acme',
    chatId,
    clientId = `client-${chatId}`,
    id = newId(),
    ...more
  }: Command & Readonly<Record<string, unknown>>,
) => {
  append('bot-replies', `${accountId}/${chatId}`, { type, id, accountId, chatId, clientId, ...more })
  return id
}
const text = (words: string) => ({ type: 'TEXT', text: words })
/** The bot's reply, and how the service answers the requests for it. */
const reply = (chatId: string, answers: ReadonlyArray<Answer> = [], more: Readonly<Record<string, unknown>> = {}) => {
  const id = newId()
  if (answers.length > 0) inputs.push({ at, answers: { [id]: answers } })
  return command('BotMessage', { chatId, id, message: text(`Answer in ${chatId}`), ...more })
}

const writes = async (chatId: string, words: string, accountId = 'acme') => {
  const about = of(accountId)
  await service.clientWrites(chatId, words, { ...about, clientId: `client-${chatId}` })
  wait(2 * second)
  return about.fields.id
}
const raw = async (
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  method = 'POST',
) => {
  await fetch(url + path, { method, headers, ...(method === 'GET' ? {} : { body }) })
  wait(second)
}
const webhooksOf = (accountId: string) => `/webhooks/${accounts.find(({ id }) => id === accountId)?.webhooks.token}`
const botOf = (accountId: string) => `/bot/${accounts.find(({ id }) => id === accountId)?.bot.token}`

/** A chat with an agent, as the seven webhooks tell it. */
const withAgent = async (
  accountId: string,
  n: number,
  rate: string | null,
  more: Readonly<Record<string, unknown>> = {},
) => {
  const visitor = {
    number: 7000 + n,
    name: `Visitor ${n}`,
    email: `visitor${n}@example.com`,
    phone: `+4930${n}0000`,
    chats_count: n % 5,
  }
  const about = { chat_id: n, visitor, client_id: `client-${n}`, ...more }
  await service.webhook(accountId, payloads.chatAccepted(about))
  wait(20 * second)
  await service.webhook(accountId, payloads.chatAssigned({ ...about, assign_to: `https://crm.example.com/${n}` }))
  await service.webhook(accountId, payloads.chatUpdated({ ...about, visitor: { ...visitor, phone: `+4930${n}0001` } }))
  wait(3 * minute)
  const began = Math.floor(at / 1000) - 200
  const messages = [
    { message: `Question ${n}`, timestamp: began, type: 'visitor' },
    { message: `Answer ${n}`, timestamp: began + 30, type: 'agent', agent_id: 1 },
  ]
  await service.webhook(
    accountId,
    payloads.chatFinished({
      ...about,
      chat: { messages, blacklisted: n % 2 === 0, rate },
      plain_messages: `Question ${n}`,
      html_messages: `<p>Question ${n}</p>`,
    }),
  )
  await service.webhook(
    accountId,
    payloads.clientUpdated({ client_id: `client-${n}`, visitor, status: { id: '2', title: 'Customer' } }),
  )
  wait(minute)
}
const call = async (accountId: string, n: number, statuses: ReadonlyArray<string>) => {
  for (const status of statuses) {
    await service.webhook(
      accountId,
      payloads.callEvent({ chat_id: n, call: { type: 'incoming', phone: `+4930${n}`, status } }),
    )
    wait(30 * second)
  }
}

// The first day: every sample of the contracts, what the bridge refuses, and every outcome of a command.
for (const [path, api] of [
  [webhooksOf('acme'), 'webhooks'],
  [botOf('acme'), 'bot-api'],
] as const)
  for (const kind of ['accepted', 'refused', 'unknown'] as const)
    for (const sample of samples(api, kind)) await raw(path, sample.text)
await raw(webhooksOf('acme'), '{"event_name":')
await raw(webhooksOf('acme'), 'event_name=call_event', { 'content-type': 'text/plain' })
await raw(webhooksOf('acme'), '', {}, 'GET')
await raw('/webhooks/nobody-has-this-token', '{}')
await raw('/bot/nobody-has-this-token', '{}')
await raw(botOf('globex'), '{}', { 'content-type': 'application/json', authorization: 'wrong' })
await raw('/oauth/token', 'grant_type=client_credentials&client_id=client-of-globex&client_secret=wrong', {
  'content-type': 'application/x-www-form-urlencoded',
})
await raw('/nothing/here', '{}')

append('enrichments', 'acme/email:visitor101@example.com', {
  customData: [{ title: 'Orders', content: '3' }],
  crmLink: 'https://crm.example.com/101',
  enableAssign: true,
})
append('enrichments', 'acme/chatId:handed-over', { customData: [{ title: 'Note', content: 'He wants a refund' }] })
append('enrichments', 'acme/phone:+49301020001', { contactInfo: { name: 'Ann', phone: '+49301020001' } })
append('enrichments', 'acme/phone:+49301020001', null)
append('enrichments', 'acme/visitorNumber:7103', { customData: 'wrong' })
append('enrichments', 'nobody/email:x@example.com', { enableAssign: false })

await withAgent('acme', 101, 'good')
await withAgent('acme', 102, 'bad', { department: { id: '3', title: 'Sales' } })
await call('acme', 111, ['start', 'client_connected', 'agent_connected', 'end'])
await call('acme', 112, ['start', 'error'])
await service.webhook(
  'acme',
  payloads.offlineMessage({ chat_id: 121, offline_message_id: 121, message: 'Call me', client_id: 'client-121' }),
)
wait(minute)

const delivered = await writes('delivered', 'Hello')
reply('delivered', [], { inReplyTo: delivered })
wait(minute)
await writes('forms', 'Show me all')
command('BotMessage', {
  chatId: 'forms',
  message: { type: 'MARKDOWN', content: '**Bold**, *italic* and [a link](https://example.com)' },
})
command('BotMessage', {
  chatId: 'forms',
  message: {
    type: 'BUTTONS',
    title: 'Which one?',
    text: 'Which one?',
    buttons: [
      { text: 'This', id: '1' },
      { text: 'That', id: '2' },
    ],
  },
})
wait(minute)
await service.clientWrites('forms', 'This', {
  ...of('acme', { message: botEvents.textMessage('This', { button_id: '1' }) }),
})
reply('forms')
wait(minute)

const failure = { status: 500, body: '{"error":{"code":"temporarily_unavailable","message":"later"}}' }
const trials: Readonly<Record<string, ReadonlyArray<Answer>>> = {
  retried: [failure, {}],
  throttled: [{ status: 429, retryAfter: '3', body: '' }, {}],
  slow: [{ afterMs: 2_900 }],
  'reset-once': [{ network: 'ECONNRESET' }, {}],
  'refused-connection': [{ network: 'ECONNREFUSED' }, { network: 'ECONNREFUSED' }, {}],
  rejected: [{ status: 400, body: '{"error":{"code":"invalid_request","message":"no"}}' }],
  'not-found': [{ status: 404, body: '' }],
  forbidden: [{ status: 403, body: '{"error":{"code":"invalid_client","message":"no"}}' }],
  'error-in-200': [{ body: '{"error":{"code":"invalid_request","message":"no"}}' }],
  'timeout-once': [{ afterMs: 60_000 }, {}],
  'given-up': [failure, failure, failure, failure, failure, failure],
}
for (const [chatId, answers] of Object.entries(trials)) {
  const asked = await writes(chatId, `Please: ${chatId}`)
  reply(chatId, answers, { inReplyTo: asked })
  wait(5 * minute)
}
const handed = await writes('handed-over', 'I want a person')
command('InviteAgent', { chatId: 'handed-over', inReplyTo: handed, reason: 'He wants a refund' })
wait(10 * second)
await service.agentJoins('handed-over', of('acme'))
wait(10 * second)
reply('handed-over')
const since = await writes('handed-over', 'Are you there?')
reply('handed-over', [], { inReplyTo: since })
wait(minute)
await service.closeChat('handed-over', of('acme'))
wait(second)
reply('handed-over')
await service.finishChat('handed-over', { fields: { chat_id: 'handed-over', client_id: 'client-handed-over' } })
wait(hour)
// The chat is opened again.
const again = await writes('handed-over', 'One more question')
reply('handed-over', [], { inReplyTo: again })
wait(minute)

// The hand-over is undone: nobody is there, and the bot goes on.
await writes('undone', 'A person, please')
command('InviteAgent', { chatId: 'undone' })
wait(5 * second)
await service.agentUnavailable('undone', of('acme'))
wait(second)
reply('undone')
wait(minute)
await writes('unheard', 'A person, please')
command('InviteAgent', { chatId: 'unheard' })
wait(5 * second)
await service.agentUnavailable('unheard', of('acme'))
wait(3 * minute)
await service.agentInvited('by-service', of('acme'))
wait(second)
reply('by-service')
wait(minute)

await writes('silent', 'Is anybody there?')
wait(3 * minute)
await writes('more', 'A hard question')
reply('more', [], { expectsMore: true })
wait(30 * second)
reply('more')
wait(minute)

const twice = await writes('twice', 'Again')
const id = reply('twice', [], { inReplyTo: twice })
wait(minute)
command('BotMessage', { chatId: 'twice', id, message: text('Answer in twice'), inReplyTo: twice })
wait(second)
command('BotMessage', { chatId: 'twice', id, message: text('Another answer') })
wait(minute)
const sameId = inputs.findLast((input) => 'send' in input)
if (sameId !== undefined) inputs.push({ ...sameId, at })

// Commands that cannot be sent.
await writes('wrong', 'Hello')
append('bot-replies', 'acme/wrong', '{"type":')
append('bot-replies', 'acme/wrong', null)
append('bot-replies', 'acme/other', {
  type: 'BotMessage',
  id: 'w1',
  accountId: 'acme',
  chatId: 'wrong',
  clientId: 'client-wrong',
  message: text('x'),
})
command('BotMessage', { chatId: 'wrong', id: 'w2', accountId: 'nobody', message: text('x') })
command('BotMessage', { chatId: 'wrong', id: 'w3', message: { type: 'BUTTONS', title: 'Which?', buttons: [] } })
command('BotMessage', { chatId: 'wrong', id: 'w4', message: { type: 'MARKDOWN', content: '# A heading' } })
command('BotMessage', { chatId: 'wrong', id: 'w5', message: { type: 'PICTURE', url: 'x' } })
command('SetMood', { chatId: 'wrong', id: 'w6' })
append('bot-replies', 'acme/wrong', { type: 'InviteAgent', accountId: 'acme' })
wait(5 * minute)

// Records that are no events, or not at their place.
append('chats', 'acme/1', { not: 'an event' })
append('clients', null, 'not JSON')
const accepted = inputs.find((input) => 'send' in input && input.send.body.includes('chat_accepted'))
const marker = (type: string, data: object, more: object = {}) =>
  toRecord({
    type,
    id: newId(),
    source: `/accounts/${'acme'}/erasures`,
    subject: '101',
    time: new Date(at).toISOString(),
    data: { accountId: 'acme', erasureId: 'f00dfeedf00dfeed', ...data },
    ...more,
  } as never)
const appendEvent = (record: ReturnType<typeof toRecord>, key = String(record.key), headers: object = {}) =>
  append(record.topic, key, String(record.value), {
    ...(record.headers as Readonly<Record<string, string>>),
    ...headers,
  })
appendEvent(marker('ChatErased', { chatId: 'elsewhere', topic: 'chats' }, { subject: 'elsewhere' }), 'acme/not-its-key')
appendEvent(marker('ChatErased', { chatId: 'elsewhere', topic: 'calls' }, { subject: 'elsewhere' }), undefined, {
  ce_specversion: '0.3',
})
if (accepted === undefined) throw new Error('no chat was accepted')

// The second day: the other account, with access tokens and another time zone. Some events also come in odd forms.
wait(start + day - at)
for (const accountId of ['globex', 'acme']) {
  await withAgent(accountId, 201, 'good')
  await call(accountId, 211, ['start', 'client_connected', 'agent_connected', 'end'])
  await service.webhook(
    accountId,
    payloads.offlineMessage({ chat_id: 221, offline_message_id: 221, message: 'At night', client_id: 'client-221' }),
  )
  wait(minute)
}
const first = await writes('tokyo', 'Good morning', 'globex')
const newer = await writes('tokyo', 'And one more', 'globex')
reply('tokyo', [], { accountId: 'globex', inReplyTo: first })
wait(10 * second)
reply('tokyo', [{ status: 401, body: '{"error":{"code":"unauthorized_client","message":"token"}}' }, {}], {
  accountId: 'globex',
  inReplyTo: newer,
})
wait(minute)
await writes('osaka', 'Hello', 'globex')
command('InviteAgent', { accountId: 'globex', chatId: 'osaka' })
wait(second)
await service.agentJoins('osaka', of('globex'))
wait(second)
const toAgent = await writes('osaka', 'Hello agent', 'globex')
reply('osaka', [], { accountId: 'globex', inReplyTo: toAgent })
wait(minute)
await writes('kyoto', 'Nobody answers', 'globex')
wait(10 * hour)
// Near midnight in Tokyo, the day before in Berlin.
await writes('midnight', 'Still there?', 'globex')
reply('midnight', [], { accountId: 'globex' })
wait(minute)
await service.closeChat('midnight', of('globex'))

const random = randomNumbers(44)
for (const api of ['webhooks', 'bot-api'] as const)
  for (const [i, sample] of samples(api, 'accepted')
    .filter(({ name }) => !name.includes('.'))
    .entries())
    for (const n of [1, 2, 3]) {
      const odd = {
        chat_id: `odd-${api}-${i}-${n}`,
        client_id: `odd-${i}-${n}`,
        ...(api === 'bot-api' && { id: newId() }),
      }
      const { payload } = oddForm({ ...Object(sample.value), ...odd }, random)
      await raw(api === 'webhooks' ? webhooksOf('acme') : botOf('acme'), JSON.stringify(payload))
    }
wait(3 * minute)

// The third day: a person is erased, and records of that person come later.
wait(start + 2 * day - at)
const erased = { chatId: '101', clientId: 'client-101' }
append('audit', 'acme', {
  type: 'OperatorAction',
  id: 'action-1',
  action: 'erase',
  who: 'ann@desk',
  at: new Date(at).toISOString(),
  accountId: 'acme',
  detail: 'erase one person',
})
for (const topic of ['chats', 'calls', 'offline-messages', 'bot-conversations'])
  appendEvent(marker('ChatErased', { ...erased, topic }))
appendEvent(marker('ClientErased', { clientId: 'client-101' }, { subject: 'client-101' }))
for (const topic of ['chats', 'bot-conversations'])
  appendEvent(
    marker('ChatErased', { chatId: 'delivered', clientId: 'client-delivered', topic }, { subject: 'delivered' }),
  )
append('erasure-confirmations', 'acme/client-101', {
  accountId: 'acme',
  clientId: 'client-101',
  erasureId: 'f00dfeedf00dfeed',
  group: 'warehouse',
  erasedAt: new Date(at + minute).toISOString(),
})
append('erasure-confirmations', 'acme/client-101', { group: 'warehouse' })
wait(minute)
await withAgent('acme', 101, null)
const anew = await writes('delivered', 'I am here again')
reply('delivered', [], { inReplyTo: anew })
wait(minute)
// A chat goes on after it was finished, and another one after an agent had left.
await service.webhook('acme', payloads.chatUpdated({ chat_id: 102, client_id: 'client-102' }))
const goesOn = await writes('handed-over', 'The third day')
reply('handed-over', [], { inReplyTo: goesOn })
wait(minute)
await service.agentInvited('by-service', of('acme'))
await service.agentJoins('by-service', of('acme'))
wait(minute)
await service.closeChat('silent', of('acme'))
wait(minute)
await writes('waiting', 'The last one')
const patient = await writes('timeout-twice', 'Is the service slow?', 'globex')
reply('timeout-twice', [{ afterMs: 60_000 }, { afterMs: 60_000 }, {}], { accountId: 'globex', inReplyTo: patient })
wait(minute)

await service.stop()
recorder.close()
writeRecorded(inputs)
console.log(`${inputs.length} inputs`)
process.exit(0)
