import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { operations } from '../../../src/app/operations.ts'
import { now } from '../../../src/bridge/domain/clock.ts'
import type { Refusal } from '../../../src/bridge/http/answer.ts'
import { archiveKeysIn } from '../../../src/bridge/mongo/archive-keys.ts'
import { erasuresIn } from '../../../src/bridge/mongo/erasures.ts'
import { redrivesIn } from '../../../src/bridge/mongo/redrives.ts'
import { silentPersonsIn } from '../../../src/bridge/mongo/silent-persons.ts'
import { actionRecorder } from '../../../src/bridge/operations/audit.ts'
import { noResults, type Redriven } from '../../../src/bridge/operations/redrive/batches.ts'
import { consoleHandlers } from '../../../src/console/handlers.ts'
import type { OperationLine } from '../../../src/console/line-queue.ts'
import type { Answer } from '../../../src/console/page.ts'
import type { AuditAnswer } from '../../../src/console/pages/audit/page.ts'
import type { LetterAnswer, LettersAnswer } from '../../../src/console/pages/dead-letters/letters.ts'
import type { ErasuresAnswer } from '../../../src/console/pages/privacy/erasures.ts'
import type { PersonAnswer } from '../../../src/console/pages/privacy/person.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { connectOperator } from '../../support/operator.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { sample } from '../../support/samples.ts'
import { world } from '../../support/world.ts'
import { given } from '../given-request.ts'

const here = await world()
await here.start()
const operator = await connectOperator(here)
const { db, kafka, mongo, rebuilds } = operator
const producer = plainClient(here.brokers).producer()
await producer.connect()

const routes = consoleHandlers({
  kafka,
  rebuilds,
  restore: undefined,
  mongoQuery: mongo.query,
  redrives: mongo.query(redrivesIn),
  erasures: mongo.query(erasuresIn),
  silentPersons: mongo.query(silentPersonsIn),
  archiveKeys: mongo.query(archiveKeysIn),
  accounts: here.accounts,
  retentionDays: 14,
  recordActionOf: (who) => actionRecorder(kafka.append, now, who),
  topicPrefix: here.prefix,
  version: '1.2.3',
  readiness: async () => ({ ready: true, checks: {} }),
  groups: [],
  operations,
  gates: () => [],
  traceUrlTemplate: undefined,
})
type Route = keyof typeof routes

const path = '/api/accounts/:account'
/** What a route answers to a person with the right role for the account. */
const answer = async <A>(route: Route, asked: Parameters<typeof given>[0] = {}): Promise<A> => {
  const answered = right((await routes[route](given(asked))) as E.Either<Refusal, Answer>)
  if (!('stream' in answered)) return answered.body as A
  const lines: unknown[] = []
  for await (const line of answered.stream) lines.push(JSON.parse(line))
  return lines as A
}
const refused = async (route: Route, asked: Parameters<typeof given>[0]) => {
  const answered = await routes[route](given(asked))
  return E.isLeft(answered) ? [answered.left.status, answered.left.message] : undefined
}
/** What a redrive has done with the letters of an account. */
const redriven = async (name: string, options: object, more: { accountId?: string; dryRun?: boolean } = {}) => {
  const { dryRun = false, ...asked } = more
  const body = { name, options: { limit: '10', ...options }, dryRun }
  const lines = await answer<Array<OperationLine<unknown, Redriven>>>(`POST ${path}/operations/run`, {
    body,
    session: { ...given().session, grants: [{ role: 'operator', accounts: '*' }] },
    ...asked,
  })
  const last = lines.at(-1)
  return last !== undefined && 'end' in last && 'code' in last.end ? last.end.result?.tally : undefined
}
const letters = (accountId: string, query = '') =>
  answer<LettersAnswer>(`GET ${path}/dead-letters`, { accountId, query })
const letter = (accountId: string, cause: string) =>
  eventually(
    `a letter of ${accountId} for ${cause}`,
    async () => (await letters(accountId, `cause=${cause}`)).letters[0],
  )

const acting = suite('actions in the console')

acting.after(async () => {
  await producer.disconnect()
  await operator.stop()
  await here.stop()
})

acting('a dead letter is shown to and sent back by its own account only, once, and is then in its view', async () => {
  const payload = JSON.parse(sample('webhooks', 'call_event'))
  const calls = db.collection('calls')
  await db.command({ collMod: 'calls', validator: { phone: { $ne: '+15550199' } } })
  await here.service.webhook('acme', { ...payload, call: { ...payload.call, phone: '+15550199' } })
  const { id, topic, consumer } = await letter('acme', 'unstorable')
  await db.command({ collMod: 'calls', validator: {} })
  const send = (options: object, more: object = {}) => redriven('redrive send', { id: [id], ...options }, more)

  const foreign = await send({ force: true, again: true }, { accountId: 'guarded' })
  const dry = await send({}, { dryRun: true })
  const first = await send({})
  const again = await send({})

  assert.equal([topic, consumer, (await letters('guarded')).count], ['calls', 'projector', 0])
  assert.equal(
    [foreign, dry, first, again],
    [noResults, { ...noResults, planned: 1 }, { ...noResults, done: 1 }, { ...noResults, before: 1 }],
  )
  const stored = await eventually('the call', async () => (await calls.findOne({ phone: '+15550199' })) ?? undefined)
  assert.equal(stored.history.length, 1)
  assert.is((await letters('acme', 'cause=unstorable')).letters[0]?.redriven.length, 1)
})

acting('a quarantined request is redriven once, by its own account only', async () => {
  const payload = JSON.parse(sample('webhooks', 'call_event'))
  const value = JSON.stringify({ ...payload, chat_id: '77001' })
  const receivedAt = new Date(Date.now() - 60_000).toISOString()
  const headers = {
    id: 'late',
    interface: 'webhooks',
    received_at: receivedAt,
    reason: 'invalid',
    problems: 'visitor: expected an object',
  }
  await producer.send({ topic: `${here.prefix}quarantine`, messages: [{ key: 'acme', value, headers }] })
  const list = `GET ${path}/quarantine` as const
  const [request] = (
    await eventually('the request', async () => {
      const found = await answer<LettersAnswer>(list)
      return found.count > 0 ? found : undefined
    })
  ).letters
  const send = (more: object = {}) => redriven('redrive quarantine', { id: [request?.id] }, more)

  const foreign = await send({ accountId: 'guarded' })
  const [first, again] = [await send(), await send()]

  assert.equal([foreign, first, again], [noResults, { ...noResults, done: 1 }, { ...noResults, before: 1 }])
  await eventually('its entry', async () => (await db.collection('timeline').findOne({ chatId: '77001' })) ?? undefined)
  assert.is(await db.collection('timeline').countDocuments({ chatId: '77001' }), 1)
  const after = await answer<LettersAnswer>(list)
  assert.equal(
    [after.letters[0]?.redriven.length, (await answer<LettersAnswer>(list, { accountId: 'guarded' })).count],
    [1, 0],
  )
  const shown = await answer<LetterAnswer>(`POST ${path}/quarantine/show`, { body: { id: request?.id } })
  assert.equal(shown.problems, [{ path: 'visitor', expected: 'an object' }])
})

acting('a person is found, exported and erased, and an outdated plan is refused', async () => {
  const visitor = { number: '7', chatsCount: 1, name: 'Ann', email: 'ann@example.com' }
  for (const event of [
    anEvent('ChatAccepted', 'e1', at('10:00:00'), { visitor }),
    anEvent('ClientUpdated', 'e2', at('10:01:00'), { visitor }),
  ])
    right(await kafka.publish(event, 10_000))
  const body = { kind: 'visitor', value: '7' }
  const [find, erase] = [`POST ${path}/person`, `POST ${path}/person/erase`] as const
  const plan = await eventually('the person', async () => {
    const found = await answer<PersonAnswer>(find, { body })
    return found.clients.length > 0 && found.chats.length > 0 ? found : undefined
  })
  assert.equal((await answer<PersonAnswer>(find, { accountId: 'guarded', body })).stored, [])
  const told = await answer<{ documents: Record<string, object[]> }>(`POST ${path}/person/export`, { body })
  assert.match(JSON.stringify(told.documents), 'ann@example.com')

  const other = anEvent('ChatAccepted', 'e3', at('10:02:00'), { chatId: '2040', visitor })
  right(await kafka.publish({ ...other, subject: '2040' } as typeof other, 10_000))
  const { confirm } = await eventually('the other chat', async () => {
    const found = await answer<PersonAnswer>(find, { body })
    return found.chats.length > plan.chats.length ? found : undefined
  })
  assert.equal((await refused(erase, { body: { ...body, confirm: plan.confirm } }))?.[0], 409)
  assert.is(await db.collection('erasures').countDocuments({}), 0)

  const { receipt } = await answer<{ receipt: { _id: string; state: string; requestedBy: string } }>(erase, {
    body: { ...body, confirm },
  })

  assert.equal([receipt.state, receipt.requestedBy], ['published', 'kim@example.com'])
  await eventually(
    'the erased chat',
    async () => (await db.collection('chats').findOne({ _id: 'acme/2040' as never, erased: true })) ?? undefined,
  )
  await producer.send({
    topic: `${here.prefix}erasure-confirmations`,
    messages: [
      {
        key: 'acme/1233',
        value: JSON.stringify({ accountId: 'acme', erasureId: receipt._id, group: 'crm', erasedAt: now() }),
      },
    ],
  })
  const { erasures } = await answer<ErasuresAnswer>(`GET ${path}/erasures`)
  assert.equal(
    erasures.map(({ receipt: { _id }, confirmedBy }) => [_id, confirmedBy]),
    [[receipt._id, ['crm']]],
  )
  assert.equal((await answer<ErasuresAnswer>(`GET ${path}/erasures`, { accountId: 'guarded' })).erasures, [])
})

acting('the audit log has the actions for the account, page after page', async () => {
  const seen = await eventually('all actions', async () => {
    const first = await answer<AuditAnswer>(`GET ${path}/audit`, { query: 'limit=3' })
    const second = await answer<AuditAnswer>(`GET ${path}/audit`, { query: `limit=200&cursor=${first.next}` })
    const rows = [...first.rows, ...second.rows].map(({ action, detail }) => `${action}: ${detail}`)
    return rows.includes('erase: erase, visitor 7') ? rows : undefined
  })
  assert.equal(new Set(seen.filter((row) => row.startsWith('redrive: redrive quarantine'))).size, 1)
  const { rows } = await answer<AuditAnswer>(`GET ${path}/audit`, { query: 'action=export' })
  assert.equal(
    rows.map(({ who, accountId, detail }) => [who, accountId, detail]),
    [['kim@example.com', 'acme', 'export, visitor 7']],
  )
  assert.not.match(
    JSON.stringify((await answer<AuditAnswer>(`GET ${path}/audit`, { accountId: 'guarded' })).rows),
    '"accountId":"acme"',
  )
})

acting.run()
