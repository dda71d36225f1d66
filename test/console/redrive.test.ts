import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AccountId, type Instant } from '../../contracts/primitives.ts'
import { operations } from '../../src/app/operations.ts'
import { withDefaults } from '../../src/bridge/domain/accounts.ts'
import type { IncomingRecord } from '../../src/bridge/domain/log/record.ts'
import { optionsOf } from '../../src/bridge/operations/audit.ts'
import { noResults, type Redriven, type Tally } from '../../src/bridge/operations/redrive/batches.ts'
import type { LetterEvent } from '../../src/bridge/operations/redrive/send.ts'
import type { OperationLine } from '../../src/console/line-queue.ts'
import { operations as part } from '../../src/console/pages/system/operations.ts'
import { letterOf, memoryRedrives, topicOf } from '../bridge/operations/redrive/given-letters.ts'
import { right } from '../support/either.ts'
import { auditTopic, given, isUnrecorded } from './given-request.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const letterAt = (offset: number, key: string): IncomingRecord => {
  const [place, value] = [{ partition: 0, offset }, Buffer.from(String(offset))]
  const record = { topic: 'chats', ...place, timestamp: 0, key: Buffer.from(key), value, headers: {} } as const
  return { ...letterOf(record, noon), ...place }
}
/** Kafka and MongoDB in memory. Each record is sent after `gate` has resolved. */
const servers = (records: ReadonlyArray<IncomingRecord>, gate: () => Promise<void> = async () => {}) => {
  const audit = auditTopic()
  const sent: string[] = []
  const kafka = {
    readTopic: topicOf(records),
    redrive: async ({ value }: IncomingRecord) => {
      await gate()
      return E.right(void sent.push(String(value)))
    },
  }
  const accounts = [withDefaults({ id: right(AccountId.decode('acme')) })]
  const resources = { kafka, redrives: memoryRedrives().redrives, accounts }
  const routes = part.handlers({
    operations,
    ...resources,
    recordActionOf: audit.recordActionOf,
  } as unknown as Parameters<typeof part.handlers>[0])
  const session = { ...given().session, grants: [{ role: 'operator', accounts: '*' }] } as const
  const ask = (options: object, more: object = {}) => {
    const { name = 'redrive send', dryRun = false, ...request } = more as { name?: string; dryRun?: boolean }
    const body = { name, options: { limit: '10', ...options }, dryRun }
    return routes['POST /api/accounts/:account/operations/run'](given({ body, session, ...request }))
  }
  return { ask, sent, audit: audit.state }
}
const read = async (answered: Awaited<ReturnType<ReturnType<typeof servers>['ask']>>) => {
  const answer = right(answered)
  if (!('stream' in answer)) throw new Error('expected a stream')
  const lines: Array<OperationLine<LetterEvent, Redriven>> = []
  for await (const text of answer.stream) lines.push(JSON.parse(text))
  return lines
}
const refused = (answered: Awaited<ReturnType<ReturnType<typeof servers>['ask']>>) =>
  E.isLeft(answered) && [answered.left.status, answered.left.message]
const ended = (tally: Partial<Tally>, more: Partial<Redriven> = {}, code = 0) => ({
  end: { code, result: { tally: { ...noResults, ...tally }, ...more } },
})

const redrive = suite('redriving in the console')

redrive('only letters of the account are sent, each with a line, after that is recorded', async () => {
  const { ask, sent, audit } = servers([letterAt(0, 'acme/1'), letterAt(1, 'other/1'), letterAt(2, 'acme')])

  const lines = await read(await ask({ cause: 'contract' }))

  const letter = (offset: number) => ({
    id: `0/${offset}`,
    origin: `chats/0/${offset}`,
    consumer: 'projector',
    cause: 'contract',
  })
  assert.equal(sent, ['0', '2'])
  assert.equal(lines, [
    { event: { kind: 'done', letter: letter(0) }, done: 1 },
    { event: { kind: 'done', letter: letter(2) }, done: 2 },
    ended({ done: 2 }),
  ])
  const options = optionsOf({ account: 'acme', cause: 'contract' })
  assert.equal(audit.actions, [
    { who: 'kim@example.com', action: 'redrive', command: 'redrive send', options, accountId: 'acme' },
  ])
})

redrive('a letter of another account is not sent, even by its id', async () => {
  const { ask, sent } = servers([letterAt(0, 'other/1'), letterAt(1, 'acme-2/1')])
  for (const id of ['0/0', '0/1'])
    assert.equal(await read(await ask({ id: [id], force: true, again: true })), [ended({})])
  assert.equal(sent, [])
})

redrive('nothing is sent if it cannot be recorded, and the next redrive may start', async () => {
  const { ask, sent, audit } = servers([letterAt(0, 'acme/1')])
  audit.isAway = true
  assert.ok(isUnrecorded(await ask({})))
  assert.ok(isUnrecorded(await ask({}, { name: 'redrive quarantine' })))
  assert.equal(sent, [])
  audit.isAway = false
  assert.is((await read(await ask({}))).length, 2)
})

redrive('it ends after the current batch when the caller has disconnected', async () => {
  const caller = new AbortController()
  const { ask, sent } = servers([letterAt(0, 'acme/1'), letterAt(1, 'acme/1')], async () => caller.abort())

  const answered = await ask({}, { signal: caller.signal })

  const trouble = { kind: 'interrupted' } as const
  assert.equal((await read(answered)).at(-1), ended({ done: 1 }, { trouble }, 1))
  assert.equal(sent, ['0'])
})

redrive('letters of no account need the role for every account, and others only that for their account', async () => {
  const { ask } = servers([letterAt(0, 'acme/1')])
  const grants = [{ role: 'operator' as const, accounts: new Set(['other']) }]
  const session = { ...given().session, grants }
  assert.equal(
    [
      await ask({}, { session }),
      await ask({}, { session, accountId: 'other' }),
      await ask({ unowned: true }, { session, accountId: 'other' }),
    ].map(refused),
    [
      [403, 'account: expected the role operator for this account'],
      false,
      [403, 'account: expected the role operator for every account'],
    ],
  )
})

redrive('a wrong option is refused by its name', async () => {
  const { ask } = servers([])
  const all = [{ limit: '0' }, { limit: 10 }, { since: 'now' }, { topic: 'dead-letters' }, { id: ['0'] }]
  assert.equal(
    await Promise.all(
      all.map(async (options) => {
        const answered = await ask(options)
        return E.isLeft(answered) && answered.left.status
      }),
    ),
    [400, 400, 400, 400, 400],
  )
})

redrive.run()
