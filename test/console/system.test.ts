import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SystemAnswer } from '../../src/console/answers.ts'
import { type SystemDeps, systemHandlers } from '../../src/console/api/system.ts'
import type { Grant } from '../../src/console/handler.ts'
import { right } from '../support/either.ts'
import { given } from './given-request.ts'

const handlers = systemHandlers({
  readiness: async () => ({
    ready: false,
    checks: { kafka: { ok: true, reason: 'the broker answers' }, bots: { ok: false, reason: 'globex has no token' } },
  }),
  groups: [],
  ranges: async () => new Map(),
  committedOffsets: async () => new Map(),
  gates: () => [
    { account: 'acme', isOpen: false },
    { account: 'brick', isOpen: false, failures: 4 },
    { account: 'crown', isOpen: false, perSecond: 2, failures: 1 },
    { account: 'dune', isOpen: true, perSecond: 10 },
  ],
  version: '1.2.3',
  monotonic: () => 0,
} satisfies SystemDeps)

const ask = async (...grants: Grant[]) => {
  const { session } = given()
  return (
    right(await handlers['GET /api/system'](given({ session: { ...session, grants } }))) as { body: SystemAnswer }
  ).body
}

const system = suite('the system in the console')

system(
  'a closed breaker is shown as sending requests, with its failures, and not as an answering service',
  async () => {
    const { breakers } = await ask({ role: 'lead', accounts: '*' })
    assert.equal(
      breakers.map(({ reason }) => reason),
      [
        'requests are sent',
        'requests are sent; failed in a row: 4',
        'limited to 2.0 attempts per second; failed in a row: 1',
        'the service fails: the bridge tries a reply only occasionally',
      ],
    )
  },
)

system('only an operator sees why a check fails, since the reason may name other accounts', async () => {
  const asked = [await ask({ role: 'operator', accounts: ['acme'] }), await ask({ role: 'lead', accounts: '*' })]
  assert.equal(
    asked.map(({ checks }) => checks),
    [
      [
        { name: 'kafka', ok: true, reason: 'the broker answers' },
        { name: 'bots', ok: false, reason: 'globex has no token' },
      ],
      [
        { name: 'kafka', ok: true, reason: 'in order' },
        { name: 'bots', ok: false, reason: 'only operators see the reason' },
      ],
    ],
  )
})

system.run()
