import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OperatorAction } from '../../../contracts/commands/operator-action.ts'
import { AccountId, type Instant } from '../../../contracts/primitives.ts'
import type { Failure, OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import { actionRecorder, notRecorded } from '../../../src/bridge/operations/audit.ts'
import { right } from '../../support/either.ts'
import { runOperation } from '../../support/operation.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const audits = suite("the record of operators' actions")

audits('has the operator, action, time and account, with the account as its key', async () => {
  const records: OutgoingRecord[] = []
  const append = async (record: OutgoingRecord) => E.right(void records.push(record))
  const record = actionRecorder(append, () => noon, 'operator@test')
  const accountId = right(AccountId.decode('acme'))
  const options = [
    { name: 'account', value: 'acme' },
    { name: 'id', value: '0/1' },
    { name: 'id', value: '0/2' },
    { name: 'force', value: 'true' },
  ]
  right(await record({ action: 'redrive', command: 'redrive quarantine', options, accountId }))
  right(await record({ action: 'rebuild', command: 'rebuild' }))
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
    detail: 'redrive quarantine, account acme, id 0/1,0/2, force',
    command: 'redrive quarantine',
    options,
    accountId,
    who: 'operator@test',
    at: noon,
  })
  assert.is.not(id, second.id)
  assert.is(second.detail, 'rebuild')
})

const refusesRecords = async () => E.left({ kind: 'transient' as const, reason: 'the broker is away' })
const never: object = new Proxy({}, { get: () => assert.unreachable('nothing else is asked') })

const unrecorded: ReadonlyArray<ReadonlyArray<string>> = [
  ['rebuild', 'chats'],
  ['redrive', 'send'],
  ['redrive', 'quarantine'],
  ['export', '--account', 'acme', '--client', '1233'],
]
for (const args of unrecorded)
  audits(`comes first: what cannot be recorded is not done: ${args.join(' ')}`, async () => {
    // The views are current; nothing else is asked of Kafka.
    const kafka = { ranges: async () => new Map(), committedOffsets: async () => new Map() }
    const resources = { kafka, rebuilds: never, redrives: never, erasures: never, accounts: [{ id: 'acme' }] }
    const ran = await runOperation(args, resources, {
      recordAction: actionRecorder(refusesRecords, () => noon, 'operator@test'),
    })
    assert.equal(ran, { code: 1, out: [], err: [notRecorded({ kind: 'transient', reason: 'the broker is away' })] })
  })

audits('has the options of a redrive, and its account', async () => {
  const asked: object[] = []
  const resources = {
    kafka: { readTopic: async () => E.right(undefined) },
    redrives: { lease: async () => ({ renew: async () => true, release: async () => {} }) },
    accounts: [{ id: 'acme' }],
  }
  const ran = await runOperation(['redrive', 'send', '--account', 'acme', '--cause', 'contract'], resources, {
    recordAction: async (action) => E.right(void asked.push(action)),
  })
  assert.equal(ran, { code: 0, out: ['no dead letter matches'], err: [] })
  assert.equal(asked, [
    {
      action: 'redrive',
      command: 'redrive send',
      options: [
        { name: 'account', value: 'acme' },
        { name: 'cause', value: 'contract' },
      ],
      accountId: 'acme',
    },
  ])
})

audits('has no redrive that is refused: again together with force needs the letters by name', async () => {
  const { code, err } = await runOperation(
    ['redrive', 'send', '--again', '--force'],
    { accounts: [] },
    {
      recordAction: async () => {
        throw new Error('nothing is recorded')
      },
    },
  )
  assert.is(code, 1)
  assert.match(err.join(), /needs the IDs of the dead letters \(--id\)/)
})

/** Runs `redrive show` for an existing record. */
const shown = async (recordAction: (asked: object) => Promise<E.Either<Failure, void>>) => {
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
  const { code, out, err } = await runOperation(
    ['redrive', 'show', '0/7', '--quarantine'],
    { kafka: { readTopic }, accounts: [{ id: 'acme' }] },
    { recordAction },
  )
  return { code, lines: [...out, ...err] }
}

audits('also has each look at a record, which shows personal data', async () => {
  const asked: object[] = []
  const { code, lines } = await shown(async (action) => E.right(void asked.push(action)))
  assert.is(code, 0)
  assert.ok(lines.includes('Jane Doe'))
  assert.equal(asked, [
    {
      action: 'unmask',
      command: 'redrive show',
      options: [
        { name: 'id', value: '0/7' },
        { name: 'quarantine', value: 'true' },
      ],
      accountId: 'acme',
    },
  ])
})

audits('comes first: a record is not shown if the look cannot be recorded', async () => {
  const away = { kind: 'transient', reason: 'the broker is away' } as const
  assert.equal(await shown(async () => E.left(away)), { code: 1, lines: [notRecorded(away)] })
})

audits.run()
