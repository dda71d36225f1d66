import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OperatorAction } from '../../contracts/commands/operator-action.ts'
import { AccountId, type Instant } from '../../contracts/primitives.ts'
import type { OutgoingRecord } from '../../src/domain/ports.ts'
import { actionRecorder, notRecorded } from '../../src/operations/audit.ts'
import { rebuildAsked } from '../../src/operations/rebuild/command.ts'
import { right } from '../support/either.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const audits = suite("the record of operators' actions")

audits('has who, what, when and the account, under the account as its key', async () => {
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
    ...{ type: 'OperatorAction', action: 'redrive', detail: 'redrive quarantine, account acme' },
    ...{ accountId, who: 'operator@test', at: noon },
  })
  assert.is.not(id, second.id)
})

audits('comes first: a rebuild that cannot be recorded does not begin', async () => {
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

audits.run()
