import * as assert from 'uvu/assert'
import { type ConsoleRole, consoleRoles } from '../../../src/bridge/domain/accounts.ts'
import { type ConsoleRoute, rolesOf, routeNames } from '../../../src/console/routes.ts'
import { eventually } from '../../support/eventually.ts'
import { markedChats, sendMarked } from './console/canaries.ts'
import { consoleSuite, type Running } from './console/suite.ts'
import type { SignedIn } from './console/world.ts'

const masking = await consoleSuite('what the console answers to whom, byte for byte')
const { test } = masking

const [mark, foreign] = ['canary-of-acme', 'canary-of-other']
const day = new Date().toISOString().slice(0, 10)
const variants: Partial<Record<ConsoleRoute, ReadonlyArray<string>>> = {
  'GET /api/accounts/:account/conversations': ['', '?limit=200', '?failed=true', `?from=${day}`, '?id=2037'],
  'GET /api/accounts/:account/statistics': ['', '?by=agent', '?by=widget', '?by=bot'],
  'GET /api/accounts/:account/statistics.csv': ['', '?by=agent', '?by=widget', '?by=bot'],
  'GET /api/accounts/:account/drift': ['', '?limit=200'],
  'GET /api/accounts/:account/dead-letters': ['', '?cause=contract'],
}
const gets = routeNames.filter((route) => route.startsWith('GET '))

/** Every path of a GET route in this test. */
const pathsOf = (route: ConsoleRoute): ReadonlyArray<string> => {
  const path = route.slice('GET /api/'.length).replace(':account', 'acme')
  const chats = path.includes(':chat') ? markedChats : ['']
  return chats.flatMap((chat) => (variants[route] ?? ['']).map((query) => path.replace(':chat', chat) + query))
}

/** The text of an answer; of a stream, only its first two chunks. */
const bytesOf = async (answer: Response): Promise<string> => {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text()
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  const second = await reader?.read()
  await reader?.cancel()
  return Buffer.concat([first?.value ?? [], second?.value ?? []].map((part) => Buffer.from(part))).toString()
}
const read = async (here: Running, path: string, signedIn: SignedIn, body?: unknown) => {
  const answer = await here.ask(path, signedIn, body)
  return { status: answer.status, text: await bytesOf(answer) }
}

/** Waits until everything that was sent is in the views and topics. */
const arrived = (here: Running) =>
  eventually('what was sent', async () => {
    const operator = await here.signIn('operator')
    const { text } = await read(here, 'accounts/acme/dead-letters', operator)
    const deliveries = await here.db.collection('deliveries').countDocuments({ chatId: /^canary-/, state: /ed$/ })
    const drift = await here.db.collection('drift').countDocuments({ accountId: 'acme' })
    return text.includes('contract') && deliveries >= 4 && drift > 10
  })

const sent = { all: undefined as Promise<unknown> | undefined }
const given = (here: Running) => {
  sent.all ??= Promise.all([sendMarked(here, 'acme', mark), sendMarked(here, 'other', foreign)]).then(() =>
    arrived(here),
  )
  return sent.all
}

test('no GET returns personal data to any role, nor data of another account', async (here) => {
  await given(here)
  for (const role of consoleRoles) {
    const signedIn = await here.signIn(role)
    for (const route of gets)
      for (const path of pathsOf(route)) {
        const { status, text } = await read(here, path, signedIn)
        const isAllowed = rolesOf(route).some((each) => each === role)
        assert.equal([path, status], [path, isAllowed ? 200 : 403], role)
        const leak = text.indexOf('canary-of-')
        assert.is(leak, -1, `${role} ${path}: ${text.slice(Math.max(0, leak - 200), leak + 100)}`)
        if (!path.startsWith('accounts')) continue
        const { status: elsewhere } = await read(here, path.replace('/acme', '/other'), signedIn)
        assert.is(elsewhere, 404, `${role} ${path} of other`)
      }
  }
})

const looks = (here: Running, who: string) =>
  here.db
    .collection('audit')
    .find({ who: `${who}@example.com` })
    .toArray()

test('only the user who unmasks a conversation sees it, in one session, and this is in the audit log', async (here) => {
  await given(here)
  for (const role of ['lead', 'privacy'] as const) {
    const [own, another] = [await here.signIn(role, 'own'), await here.signIn(role, 'another')]
    const path = 'accounts/acme/conversations/canary-1'
    assert.is((await read(here, `${path}/unmask`, own, {})).status, 200)
    const { text } = await read(here, path, own)
    for (const place of ['client', 'title', 'button', 'unknown']) assert.match(text, `${mark}.${place}`)
    for (const [hidden, signedIn] of [
      [path, another],
      ['accounts/acme/conversations/2037', own],
      ['accounts/acme/conversations', own],
    ] as const)
      assert.not.match((await read(here, hidden, signedIn)).text, 'canary-of-')
    const found = await eventually('the look', async () => {
      const all = await looks(here, `${role}+own`)
      return all.length > 0 && all
    })
    assert.equal(
      found.map(({ action, accountId, detail }) => [action, accountId, detail]),
      [['unmask', 'acme', 'conversation, chat canary-1']],
    )
    assert.equal(await looks(here, `${role}+another`), [])
  }
})

/** The topic, partition and offset of a record of a chat. */
const placeOf = async (here: Running, accountId: string) => {
  const entry = await here.db.collection('timeline').findOne({ accountId, chatId: 'canary-1' })
  return { topic: entry?.topic, partition: entry?.partition, offset: entry?.offset }
}

/** POST routes that return personal data. Each such request is recorded. */
const posts: ReadonlyArray<readonly [path: string, body: object, roles: ReadonlyArray<ConsoleRole>]> = [
  ['conversations/canary-1/unmask', {}, ['lead', 'privacy']],
  ['drift/unmask', {}, ['operator']],
  ['person', { kind: 'client', value: '1233' }, ['privacy']],
  ['person/export', { kind: 'client', value: '1233' }, ['privacy']],
]

test('only the right roles can request personal data, and each request is recorded', async (here) => {
  await given(here)
  const operator = await here.signIn('operator')
  const { text: letters } = await read(here, 'accounts/acme/dead-letters?cause=contract', operator)
  const { text: requests } = await read(here, 'accounts/acme/quarantine', operator)
  const [letter] = JSON.parse(letters).letters
  const [request] = JSON.parse(requests).letters
  const all = [
    ...posts,
    ['record', await placeOf(here, 'acme'), ['lead', 'privacy']],
    ['dead-letters/show', { id: letter.id }, ['operator']],
    ['quarantine/show', { id: request.id }, ['operator']],
  ] as const
  for (const role of consoleRoles) {
    const signedIn = await here.signIn(role, 'asks')
    let recorded = 0
    for (const [path, body, roles] of all) {
      const { status, text } = await read(here, `accounts/acme/${path}`, signedIn, body)
      assert.not.match(text, foreign)
      if (!roles.some((each) => each === role)) {
        assert.equal([path, status, /canary-of-/.test(text)], [path, 403, false], role)
        continue
      }
      recorded += 1
      assert.equal([path, status], [path, 200], text)
      if (/show$|record|export/.test(path)) assert.match(text, mark, path)
      assert.is((await read(here, `accounts/other/${path}`, signedIn, body)).status, 404)
    }
    await eventually(
      `${recorded} looks of ${role}`,
      async () => (await looks(here, `${role}+asks`)).length === recorded,
    )
  }
})

test('a record of another account is not shown', async (here) => {
  await given(here)
  const lead = await here.signIn('lead')
  const { status, text } = await read(here, 'accounts/acme/record', lead, await placeOf(here, 'other'))
  assert.equal([status, /canary-of-/.test(text)], [404, false])
})

masking.run()
