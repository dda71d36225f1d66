import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { operations as listed } from '../../src/app/operations.ts'
import { optionsOf } from '../../src/bridge/operations/audit.ts'
import type { AnyOperation } from '../../src/bridge/operations/operation.ts'
import type { Option } from '../../src/bridge/operations/options.ts'
import type { Grant } from '../../src/console/page.ts'
import { operations as part } from '../../src/console/pages/system/operations.ts'
import { right } from '../support/either.ts'
import { auditTopic, given } from './given-request.ts'

const operations: ReadonlyArray<AnyOperation> = listed

const list = 'GET /api/accounts/:account/operations'
const start = 'POST /api/accounts/:account/operations/run'

const report = {
  name: 'livechat.chats',
  key: 'account/chat',
  partitions: 0,
  replication: 0,
  cleanUp: '',
  differences: ['it is missing'],
}

const servers = (hasAudit = true) => {
  const applied: string[] = []
  const kafka = {
    describeTopics: async () =>
      E.right([report, ...(hasAudit ? [{ ...report, name: 'livechat.audit', partitions: 2, differences: [] }] : [])]),
    applyTopics: async () => {
      applied.push('topics')
      return E.right([{ ...report, differences: [] }])
    },
  }
  const resources = { accounts: [{ id: 'acme' }, { id: 'other' }], kafka, retentionDays: 14, topicPrefix: 'livechat.' }
  const { recordActionOf, state: audit } = auditTopic()
  const handlers = part.handlers({ operations, ...resources, recordActionOf } as unknown as Parameters<
    typeof part.handlers
  >[0])
  const session = (role: Grant['role'], accounts: Grant['accounts'] = '*') => ({
    ...given().session,
    grants: [{ role, accounts }],
  })
  const ask = (body: object, as = session('operator')) =>
    handlers[start](given({ session: as, body: { name: 'topics', options: {}, dryRun: false, ...body } }))
  const read = async (body: object) => {
    const answer = right(await ask(body))
    if (!('stream' in answer)) throw new Error('expected a stream')
    const lines = []
    for await (const text of answer.stream) lines.push(JSON.parse(text))
    return lines
  }
  const names = async (role: Grant['role'], accounts?: Grant['accounts']) => {
    const answer = right(await handlers[list](given({ session: session(role, accounts) })))
    return 'body' in answer ? answer.body.operations.map(({ name }) => name) : []
  }
  return { ask, read, names, session, applied, audit }
}

const offered = suite('operations in the console')

offered('are offered to who has the role for every account', async () => {
  const { names } = servers()
  const ofOperators = operations.filter(({ hasForm }) => hasForm).map(({ name }) => name)
  assert.ok(ofOperators.includes('topics'))
  assert.equal(
    [await names('operator'), await names('operator', new Set(['acme'])), await names('viewer')],
    [ofOperators, [], []],
  )
})

offered('say which options the page asks about, and that is recorded once the topic audit exists', async () => {
  for (const hasAudit of [true, false]) {
    const { read, applied, audit } = servers(hasAudit)
    await read({})
    assert.equal([applied, audit.actions], [[], []])
    await read({ options: { apply: true } })
    const recorded = hasAudit
      ? [{ who: 'kim@example.com', action: 'topics', command: 'topics', options: optionsOf({ apply: 'true' }) }]
      : []
    assert.equal([applied, audit.actions], [['topics'], recorded])
  }
  const asks = operations.flatMap(({ name, hasForm, options }) =>
    hasForm === undefined
      ? []
      : Object.entries<Option>(options).flatMap(([option, { confirm }]) => (confirm ? [`${name} --${option}`] : [])),
  )
  assert.equal(asks, ['topics --apply'])
})

offered('need only what the console has', () => {
  const missing = ['wrapping', 'appendTo', 'consoleSessions', 'running', 'consoleUrl']
  for (const { name, role, needs } of operations)
    if (role !== undefined)
      assert.not.ok(
        Object.keys(needs).some((need) => missing.includes(need)),
        name,
      )
})

offered('run with the same result as on the command line', async () => {
  const { read, applied } = servers(false)
  assert.equal(await read({}), [{ end: { code: 1, result: [report] } }])
  assert.equal(applied, [])
  assert.equal(await read({ options: { apply: true } }), [
    { end: { code: 0, result: [{ ...report, differences: [] }] } },
  ])
  assert.equal(applied, ['topics'])
})

offered('are refused to others, and with an option that they do not have', async () => {
  const { ask, session, applied } = servers()
  const refusals = [
    await ask({}, session('operator', new Set(['acme']))),
    await ask({ name: 'erase' }),
    await ask({ name: 'toString' }),
    await ask({ options: { apply: 'yes' } }),
    await ask({ options: { force: true } }),
    await ask({ options: { __proto__: null, constructor: true } }),
  ]
  assert.equal(
    refusals.map((answered) => E.isLeft(answered) && [answered.left.status, answered.left.message]),
    [
      [403, 'account: expected the role operator for every account'],
      [404, 'name: expected an operation that the console offers'],
      [404, 'name: expected an operation that the console offers'],
      [400, 'apply: expected true or false'],
      [400, 'force: expected no such option'],
      [400, 'constructor: expected no such option'],
    ],
  )
  assert.equal(applied, [])
})

offered.run()
