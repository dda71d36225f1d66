import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OperatorAction } from '../../contracts/commands/operator-action.ts'
import { AccountId, type Instant } from '../../contracts/primitives.ts'
import type { Failure, OutgoingRecord } from '../../src/domain/ports.ts'
import { actionRecorder, notRecorded } from '../../src/operations/audit.ts'
import { rebuildAsked } from '../../src/operations/rebuild/command.ts'
import { redriveCommand } from '../../src/operations/redrive/command.ts'
import { right } from '../support/either.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const audits = suite("the record of operators' actions")

audits('has the operator, action, time and account, with the account as its key', async () => {
  const records: OutgoingRecord[] = []
  const append = async (record: OutgoingRecord) => E.right(void records.push(record))
  const record = actionRecorder(append, () => noon, 'operator@test')
  const accountId = right(AccountId.decode('acme'))
  right(await record({ action: 'redrive', detail: 'redrive quarantine, account acme', accountId }))
  right(await record({ action: 'rebuild', detail: 'rebuild all' }))
  assert.equal(
    records.map(({ topic, key }) => [topic, key]),
    [
      ['audit', 'acme'],
      ['audit', '*'],
    ],
  )
  const [first, second] = records.map(({ value }) => right(OperatorAction.decode(JSON.parse(String(value)))))
  assert.ok(first && second)
  const { id, ...said } = first
  assert.equal(said, {
    type: 'OperatorAction',
    action: 'redrive',
    detail: 'redrive quarantine, account acme',
    accountId,
    who: 'operator@test',
    at: noon,
  })
  assert.is.not(id, second.id)
})

audits('comes first: a rebuild that cannot be recorded does not start', async () => {
  const away = async () => E.left({ kind: 'transient' as const, reason: 'the broker is away' })
  const said: string[] = []
  const never = new Proxy({}, { get: () => assert.unreachable('nothing else is asked') })
  const deps = { kafka: never, rebuilds: never, show: never, say: (line: string) => void said.push(line) }
  const asked = { views: ['chats'], dryRun: false, resume: false, discard: false, force: false }
  const code = await rebuildAsked(
    { ...deps, recordAction: actionRecorder(away, () => noon, 'operator@test') } as unknown as Parameters<
      typeof rebuildAsked
    >[0],
    asked as Parameters<typeof rebuildAsked>[1],
  )
  assert.is(code, 1)
  assert.equal(said, [notRecorded({ kind: 'transient', reason: 'the broker is away' })])
})

/** Runs `redrive show` for an existing record. Returns what was recorded and what was printed. */
const shown = async (recordAction: (asked: object) => Promise<E.Either<Failure, void>>) => {
  const lines: string[] = []
  const record = {
    topic: 'quarantine',
    partition: 0,
    offset: 7,
    timestamp: 0,
    headers: {},
    key: Buffer.from('acme'),
    value: Buffer.from('Jane Doe'),
  }
  const readTopic = async (_: string, onSlice: (records: ReadonlyArray<object>) => Promise<void>) => {
    await onSlice([record])
    return E.right(undefined)
  }
  const servers = {
    kafka: { readTopic },
    recordAction,
    accounts: [{ id: 'acme' }],
    interrupted: new AbortController().signal,
    out: (line: string) => void lines.push(line),
    err: (line: string) => void lines.push(line),
  }
  let code: number | undefined
  const command = redriveCommand(async (run) => {
    code = await run(servers as unknown as Parameters<typeof run>[0])
  })
  await command.parseAsync(['show', '0/7', '--quarantine'], { from: 'user' })
  return { code, lines }
}

audits('also has each look at a record, which shows personal data', async () => {
  const asked: object[] = []
  const { code, lines } = await shown(async (action) => E.right(void asked.push(action)))
  assert.is(code, 0)
  assert.ok(lines.includes('Jane Doe'))
  assert.equal(asked, [{ action: 'unmask', detail: 'redrive show, id 0/7, quarantine true', accountId: 'acme' }])
})

audits('comes first: a record is not shown if the look cannot be recorded', async () => {
  const away = { kind: 'transient', reason: 'the broker is away' } as const
  assert.equal(await shown(async () => E.left(away)), { code: 1, lines: [notRecorded(away)] })
})

audits.run()
