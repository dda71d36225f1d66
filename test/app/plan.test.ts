import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { missingKeyFile } from '../../src/app/archive-keys.ts'
import { planOf } from '../../src/app/plan.ts'
import { type Role, roles } from '../../src/bridge/domain/roles.ts'
import { right } from '../support/either.ts'
import { temporaryFolder } from '../support/folder.ts'

type Given = Parameters<typeof planOf>[0]
const kafka = { brokers: ['127.0.0.1:9092'], ssl: false }
const mongo = { url: 'mongodb://127.0.0.1', database: 'livechat' }
const given = (changed: Partial<Given> = {}): Given => ({
  dataDir: temporaryFolder(),
  kafka,
  mongo,
  admin: { host: '127.0.0.1', port: 0 },
  console: { basePath: '/console', origin: undefined, grants: [], oidc: undefined } as unknown as Given['console'],
  ...changed,
})
const open = { admin: { host: '0.0.0.0', port: 0 } }

const runsOf = (settings: Given, requested: ReadonlyArray<Role>, isOneOfTwo = false) => {
  const { runs, lacking } = right(planOf(settings, requested, isOneOfTwo))
  return [roles.filter(runs), [...lacking.keys()]]
}

const test = suite('the roles that a process runs')

test('are those that were requested', () =>
  assert.equal(runsOf(given(), ['ingress', 'egress']), [['ingress', 'egress'], []]))

test('are all that can run, if all were requested', () => {
  assert.equal(runsOf(given(), roles), [['ingress', 'projector', 'egress', 'console'], ['archiver']])
  assert.equal(runsOf(given(open), roles), [
    ['ingress', 'projector', 'egress'],
    ['archiver', 'console'],
  ])
})

test('are all that can run in one of two processes', () =>
  assert.equal(runsOf(given(), ['projector', 'archiver', 'console'], true), [['projector', 'console'], ['archiver']]))

test('include the archiver with two embedded servers, because the bridge makes a key file', () =>
  assert.equal(runsOf(given({ kafka: 'embedded', mongo: 'embedded' }), ['archiver']), [['archiver'], []]))

test('must all be able to run if they are only some: the reason says what to set', () => {
  assert.equal(planOf(given(), ['archiver'], false), E.left({ reason: `${missingKeyFile}.`, exitCode: 78 }))
  const unsafe = planOf(given(open), ['console'], false)
  assert.ok(E.isLeft(unsafe) && unsafe.left.reason.startsWith('ADMIN_HOST is not loopback'))
})

test('need a key file that can be read, if one is configured', () => {
  const missing = planOf(given({ archiveKeyFile: '/nowhere/keys.json' }), roles, false)
  assert.ok(E.isLeft(missing) && missing.left.exitCode === 78)
})

test.run()
