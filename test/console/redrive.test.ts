import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AccountId, type Instant } from '../../contracts/primitives.ts'
import { withDefaults } from '../../src/bridge/domain/accounts.ts'
import type { IncomingRecord } from '../../src/bridge/domain/log/record.ts'
import { RedriveLine } from '../../src/console/answers.ts'
import { redriveHandlers } from '../../src/console/api/redrive.ts'
import type { ConsoleRequest } from '../../src/console/handler.ts'
import { letterOf, memoryRedrives, topicOf } from '../bridge/operations/redrive/given-letters.ts'
import { right } from '../support/either.ts'
import { auditTopic, given, isUnrecorded } from './given-request.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const letterAt = (offset: number, key: string): IncomingRecord => {
  const [place, value] = [{ partition: 0, offset }, Buffer.from(String(offset))]
  const record = { topic: 'chats', ...place, timestamp: 0, key: Buffer.from(key), value, headers: {} } as const
  return { ...letterOf(record, noon), ...place }
}
const send = 'POST /api/accounts/:account/dead-letters/redrive'

/** Kafka and MongoDB in memory. Each record is sent after `gate` has resolved. */
const servers = (records: ReadonlyArray<IncomingRecord>, gate: () => Promise<void> = async () => {}) => {
  const audit = auditTopic()
  const sent: string[] = []
  const routes = redriveHandlers({
    kafka: {
      readTopic: topicOf(records),
      redrive: async ({ value }) => {
        await gate()
        return E.right(void sent.push(String(value)))
      },
      publish: async () => E.left({ kind: 'permanent', reason: 'no event is published here' }),
    },
    redrives: memoryRedrives().redrives,
    accounts: [withDefaults({ id: right(AccountId.decode('acme')) })],
    recordActionOf: audit.recordActionOf,
  })
  const ask = (body: object, more: Pick<Partial<ConsoleRequest>, 'signal'> = {}) =>
    routes[send](given({ body: { dryRun: false, limit: 10, ...body }, ...more }))
  return { ask, sent, audit: audit.state, routes }
}
const read = async (answered: Awaited<ReturnType<ReturnType<typeof servers>['ask']>>) => {
  const answer = right(answered)
  if (!('stream' in answer)) throw new Error('expected a stream')
  const lines: RedriveLine[] = []
  for await (const text of answer.stream) lines.push(right(RedriveLine.decode(JSON.parse(text))))
  return lines
}
const refused = (answered: Awaited<ReturnType<ReturnType<typeof servers>['ask']>>) =>
  E.isLeft(answered) && [answered.left.status, answered.left.message]

const redrive = suite('redriving in the console')

redrive('only letters of the account are sent, each with a line, after that is recorded', async () => {
  const { ask, sent, audit } = servers([letterAt(0, 'acme/1'), letterAt(1, 'other/1'), letterAt(2, 'acme')])

  const lines = await read(await ask({ cause: 'contract' }))

  const warning = 'it fails again unless the cause is fixed'
  assert.equal(sent, ['0', '2'])
  assert.equal(lines, [
    { line: `sent           0/0  chats/0/0  projector  contract  ${warning}`, done: 1 },
    { line: `sent           0/2  chats/0/2  projector  contract  ${warning}`, done: 2 },
    { end: { sent: 2, before: 0, kept: 0, failed: 0, words: '2 sent' } },
  ])
  const detail = 'redrive send, account acme, cause contract'
  assert.equal(audit.actions, [{ who: 'kim@example.com', action: 'redrive', detail, accountId: 'acme' }])
})

redrive('a letter of another account is not sent, even by its id', async () => {
  const { ask, sent } = servers([letterAt(0, 'other/1'), letterAt(1, 'acme-2/1')])
  for (const id of ['0/0', '0/1'])
    assert.equal(await read(await ask({ id, force: true, again: true })), [
      { end: { sent: 0, before: 0, kept: 0, failed: 0, words: 'no dead letter matches' } },
    ])
  assert.equal(sent, [])
})

redrive('a dry run shows what would be sent; it sends and records nothing', async () => {
  const { ask, sent, audit } = servers([letterAt(0, 'acme/1'), letterAt(1, 'acme/1')])
  const lines = await read(await ask({ dryRun: true, limit: 1 }))
  const words = '1 would be sent. The limit of 1 is reached. There may be more.'
  assert.equal(lines.at(-1), { end: { sent: 1, before: 0, kept: 0, failed: 0, words } })
  assert.equal([sent, audit.actions], [[], []])
})

redrive('nothing is sent if it cannot be recorded, and the next redrive may start', async () => {
  const { ask, sent, audit, routes } = servers([letterAt(0, 'acme/1')])
  audit.isAway = true
  assert.ok(isUnrecorded(await ask({})))
  const quarantined = routes['POST /api/accounts/:account/quarantine/redrive']
  assert.ok(isUnrecorded(await quarantined(given({ body: { dryRun: false, limit: 1 } }))))
  assert.equal(sent, [])
  audit.isAway = false
  assert.is((await read(await ask({}))).length, 2)
})

redrive('only one redrive of both kinds runs at a time, even if its output is not read', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { ask, routes } = servers([letterAt(0, 'acme/1')], () => gate)
  const first = await ask({})

  const other = await routes['POST /api/accounts/:account/quarantine/redrive'](
    given({ body: { dryRun: true, limit: 1 } }),
  )
  assert.equal(
    [refused(await ask({})), refused(other)],
    [
      [409, 'another redrive is running: expected this one after its end'],
      [409, 'another redrive is running: expected this one after its end'],
    ],
  )

  open()
  assert.is((await read(first)).length, 2)
  assert.ok(E.isRight(await ask({})))
})

redrive('it ends after the current batch when the caller has disconnected', async () => {
  const caller = new AbortController()
  const { ask, sent } = servers([letterAt(0, 'acme/1'), letterAt(1, 'acme/1')], async () => caller.abort())

  const answered = await ask({}, { signal: caller.signal })

  const words = '1 sent. Interrupted. Run the same redrive again to continue.'
  assert.equal((await read(answered)).at(-1), { end: { sent: 1, before: 0, kept: 0, failed: 0, words } })
  assert.equal(sent, ['0'])
})

redrive('a wrong body is refused by the name of its field', async () => {
  const { ask, routes } = servers([])
  const all = [{ limit: 0 }, { limit: 10_001 }, { limit: 'many' }, { dryRun: 1 }, { since: 'now' }, { cause: '' }]
  assert.equal(await Promise.all(all.map(async (body) => refused(await ask(body)))), [
    [400, 'limit: expected a whole number from 1 to 10000'],
    [400, 'limit: expected a whole number from 1 to 10000'],
    [400, 'limit: expected a whole number, 0 or more'],
    [400, 'dryRun: expected true or false'],
    [400, 'since: expected an RFC 3339 time in UTC'],
    [400, 'cause: expected text of 1 to 255 characters'],
  ])
  const body = { dryRun: true, limit: 1, topic: 'chats' }
  const other = await routes['POST /api/accounts/:account/quarantine/redrive'](given({ body }))
  assert.equal(refused(other), [400, 'topic: expected quarantine, or nothing'])
})

redrive.run()
