import { left, right } from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../contracts/primitives.ts'
import { head, type StripAnswer } from '../../src/console/head.ts'
import { firstStep, type HealthState, healthState, healthWords } from '../../src/console/health.ts'
import { type Grant, unavailable } from '../../src/console/page.ts'
import { system as page, type SystemAnswer } from '../../src/console/pages/system/page.ts'
import { right as rightOf } from '../support/either.ts'
import { given } from './given-request.ts'

const handlers = page.handlers({
  readiness: async () => ({
    ready: false,
    checks: { kafka: { ok: true, reason: 'the broker answers' }, bots: { ok: false, reason: 'globex has no token' } },
  }),
  groups: [],
  operations: [],
  kafka: { ranges: async () => new Map(), committedOffsets: async () => new Map() },
  gates: () => [
    { account: 'acme', isOpen: false },
    { account: 'brick', isOpen: false, failures: 4 },
    { account: 'crown', isOpen: false, perSecond: 2, failures: 1 },
    { account: 'dune', isOpen: true, perSecond: 10 },
  ],
  version: '1.2.3',
  monotonic: () => 0,
} as unknown as Parameters<typeof page.handlers>[0])

const ask = async (...grants: Grant[]) => {
  const { session } = given()
  return (
    rightOf(await handlers['GET /api/system'](given({ session: { ...session, grants } }))) as { body: SystemAnswer }
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
        'the service fails: replies wait, and the bridge tries one only occasionally',
      ],
    )
  },
)

system('only an operator sees why a check fails, since the reason may name other accounts', async () => {
  const broken = 'A part of the bridge does not work as it should.'
  const first = 'look at its reason and into the log'
  const asked = [
    await ask({ role: 'operator', accounts: new Set(['acme']) }),
    await ask({ role: 'lead', accounts: '*' }),
  ]
  assert.equal(
    asked.map(({ checks }) => checks),
    [
      [
        { name: 'kafka', state: 'works', words: 'In order.', reason: 'the broker answers' },
        { name: 'bots', state: 'down', words: broken, reason: 'globex has no token', first },
      ],
      [
        { name: 'kafka', state: 'works', words: 'In order.', reason: '' },
        { name: 'bots', state: 'down', words: broken, reason: '', first },
      ],
    ],
  )
})

system('what is down, degraded or off says what to do first; what waits or works does not', async () => {
  const firstOf = (name: string, ...states: HealthState[]) => states.map((state) => firstStep(name, state))
  const first = 'check that MongoDB has a primary and that this host reaches it. The bridge then continues by itself'
  assert.equal(firstOf('mongodb', 'down', 'degraded', 'off'), [first, first, first])
  assert.equal(firstOf('mongodb', 'works', 'waits', 'unknown'), [undefined, undefined, undefined])
  const { breakers } = await ask({ role: 'lead', accounts: '*' })
  assert.equal(
    breakers.map((breaker) => breaker.first),
    [undefined, undefined, undefined, 'look at its last answers: page Statistics, Failed replies'],
  )
})

system('a check that the bridge has is explained by what users notice of it', () => {
  assert.equal(
    [healthWords('privacy.retainDays', 'degraded'), healthWords('toString', 'down')],
    [
      'Persons without recent events are erased later than configured.',
      'A part of the bridge does not work as it should.',
    ],
  )
})

for (const [name, health, state] of [
  ['kafka', { ok: true, reason: '1 broker' }, 'works'],
  ['kafka', { ok: false, reason: 'no broker answers' }, 'down'],
  ['archiver', { ok: true, isLimited: true, isOff: true, reason: 'does not run: ARCHIVE_KEY_FILE is not set' }, 'off'],
  ['archiver', { ok: false, reason: 'GROUP_LOAD_IN_PROGRESS' }, 'degraded'],
  ['projector', { ok: false, reason: 'GROUP_LOAD_IN_PROGRESS' }, 'down'],
  ['retention', { ok: true, isLimited: true, reason: 'chats: not allowed' }, 'degraded'],
  ['privacy.retainDays', { ok: true, isLimited: true, reason: 'MongoDB does not answer' }, 'degraded'],
  ['journal', { ok: true, reason: 'a reason; with NO_MEANING here' }, 'works'],
  ['journal', { ok: false, reason: 'Kafka does not accept records of chats; the journal is full' }, 'down'],
  ['journal', { ok: true, isLimited: true, reason: '12 records wait for Kafka' }, 'degraded'],
] as const)
  system(`${name} with “${health.reason}” is shown as ${state}`, () => assert.is(healthState(name, health), state))

const away = { ok: false, reason: 'the broker does not answer' }
for (const [name, health, state, words] of [
  [
    'journal',
    { ok: true, reason: 'records go to Kafka' },
    'unknown',
    'It cannot be checked while Kafka does not answer.',
  ],
  [
    'outcomes',
    { ok: true, reason: 'outcomes of replies are published' },
    'unknown',
    'It cannot be checked while Kafka does not answer.',
  ],
  [
    'topics and indexes',
    { ok: true, reason: 'all topics and indexes exist' },
    'unknown',
    'It cannot be checked while Kafka does not answer.',
  ],
  ['daily_stats', { ok: true, reason: 'its days have the time zones of the accounts' }, 'works', 'In order.'],
  ['outcomes', { ok: false, reason: 'refused' }, 'waits', 'It works again once Kafka answers.'],
  ['projector', { ok: false, reason: 'no partitions' }, 'waits', 'It works again once Kafka answers.'],
  ['journal', { ok: true, isLimited: true, reason: '12 records wait' }, 'waits', 'It works again once Kafka answers.'],
  [
    'journal',
    { ok: false, reason: 'it is full' },
    'down',
    'Webhooks are kept on disk or in quarantine, and reach their topics later. They are refused once the journal is full.',
  ],
  [
    'archiver',
    { ok: true, isLimited: true, isOff: true, reason: 'no key file' },
    'off',
    'Events are not archived. The topics keep them, so nothing is lost.',
  ],
] as const)
  system(`while Kafka does not answer, ${name} with “${health.reason}” is shown as ${state}`, () => {
    const checks = { kafka: away, mongodb: { ok: true, reason: 'the primary answers' } }
    const shown = healthState(name, health, checks)
    assert.equal([shown, healthWords(name, shown, checks)], [state, words])
  })

system(
  'above every page, Kafka that does not answer is one item, and not one for each part that waits for it',
  async () => {
    const failing = { ok: false, reason: 'no broker answers' }
    const never = async () => {
      throw new Error('no broker answers')
    }
    const { 'GET /api/accounts/:account/strip': strip } = head.handlers({
      readiness: async () => ({
        ready: false,
        checks: { kafka: failing, mongodb: { ok: true, reason: '' }, projector: failing, egress: failing },
      }),
      read: async () => left(unavailable('MongoDB: it does not answer')),
      now: () => '2026-01-31T12:00:00.000Z' as Instant,
      monotonic: () => 0,
      kafka: { readTopic: never },
      redrives: { find: never, erasedAt: never },
    } as unknown as Parameters<typeof head.handlers>[0])
    const { body } = rightOf(await strip(given({}))) as { body: StripAnswer }
    assert.equal(
      body.wrong.map(({ name, state }) => [name, state]),
      [['kafka', 'down']],
    )
  },
)

for (const [replies, agents, shown] of [
  [right([{ count: 11 }]), right([{ count: 4 }]), [11, 4]],
  [right([]), right([{ count: 4 }]), [0, 4]],
  [left(unavailable('MongoDB: too slow')), right([{ count: 4 }]), [null, 4]],
  [right([{ count: 11 }]), left(unavailable('MongoDB: too slow')), [11, null]],
] as const)
  system(`above every page, who waits for an answer and who waits for an agent: ${shown.join(' and ')}`, async () => {
    const never = async () => {
      throw new Error('no broker answers')
    }
    const { 'GET /api/accounts/:account/strip': strip } = head.handlers({
      readiness: async () => ({ ready: true, checks: {} }),
      read: async (source: object) => (JSON.stringify(source).includes('invited') ? agents : replies),
      now: () => '2026-01-31T12:00:00.000Z' as Instant,
      monotonic: () => 0,
      kafka: { readTopic: never },
      redrives: { find: never, erasedAt: never },
    } as unknown as Parameters<typeof head.handlers>[0])
    const { body } = rightOf(await strip(given({}))) as { body: StripAnswer }
    assert.equal([body.waiting, body.waitingForAgent], shown)
  })

system.run()
