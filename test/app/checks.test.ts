import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checksBeforeStart } from '../../src/app/checks.ts'
import type { CheckHealth, Health } from '../../src/bridge/domain/checks.ts'
import type { Role } from '../../src/bridge/domain/roles.ts'
import { readinessOf } from '../../src/bridge/http/health.ts'
import { retainHealth } from '../../src/bridge/privacy/retain-days/retain.ts'
import { timeZonesHealth } from '../../src/bridge/views/stats-days.ts'

const away: CheckHealth = () => ({ ok: false, reason: 'away' })
const works: CheckHealth = () => ({ ok: true, reason: 'works' })
const allWork = { kafka: works, mongodb: works, 'topics and indexes': works }
const allAway = { kafka: away, mongodb: away, 'topics and indexes': away }

const health = (servers: typeof allWork, roles: ReadonlyArray<Role>, lacking: ReadonlyArray<[Role, string]> = []) =>
  readinessOf(
    checksBeforeStart(servers, roles, {
      runs: () => true,
      lacking: new Map(lacking),
      archiveKeys: undefined,
    }),
    1_000,
  )

const checks = suite('checks of a process')

checks('a server that ingress can do without is limited, and fails for every other role', async () => {
  const limited = (instead: string): Health => ({ ok: true, isLimited: true, reason: `away; ${instead}` })
  assert.equal(await health(allAway, ['ingress']), {
    ready: true,
    checks: {
      kafka: limited('new records go to the journal'),
      mongodb: limited('answers are sent without enrichments'),
      'topics and indexes': limited('the bridge keeps trying to create them'),
    },
  })
  const { kafka, mongodb } = (await health(allAway, ['ingress', 'egress'])).checks
  assert.equal([kafka, mongodb], [away(), away()])
})

checks('of a role that waits for topics and indexes fail until it runs', async () => {
  const { ready, checks: found } = await health(allWork, ['ingress', 'projector', 'egress', 'archiver', 'console'])
  const waiting = Object.entries(found).flatMap(([name, { reason }]) =>
    reason === 'has not started yet' ? [name] : [],
  )
  assert.equal([ready, waiting], [false, ['projector', 'enrichments', 'daily_stats', 'egress', 'outcomes', 'archiver']])
})

checks('a server that works is not limited', async () => {
  assert.equal(Object.values((await health(allWork, ['ingress'])).checks), [works(), works(), works()])
})

checks('a role that cannot run is limited, with the reason', async () => {
  const { archiver } = (await health(allWork, ['archiver'], [['archiver', 'ARCHIVE_KEY_FILE is not set']])).checks
  assert.equal(archiver, {
    ok: true,
    isLimited: true,
    isOff: true,
    reason: 'does not run: ARCHIVE_KEY_FILE is not set',
  })
})

const daysOfOther = (changed: ReadonlyArray<string>) =>
  timeZonesHealth(
    async () => changed,
    () => 0,
  )

checks('of many accounts with days of another time zone some are named', async () => {
  const many = Array.from({ length: 10_000 }, (_, i) => `a${i}`)
  assert.is(
    (await daysOfOther(many)()).reason,
    'some days of a0, a1, a2, a3, a4, 9995 more accounts are of another time zone',
  )
})

checks('time zones that are right are read again after a minute, and those that are not each time', async () => {
  const reads: string[] = []
  const clock = { now: 0, changed: ['acme'] }
  const changed = async () => {
    reads.push(`${clock.now} s`)
    return clock.changed
  }
  const check = timeZonesHealth(changed, () => clock.now * 1_000)
  for (const [now, changed] of [
    [0, ['acme']],
    [1, ['acme']],
    [2, []],
    [3, ['acme']],
    [61, ['acme']],
    [63, ['acme']],
  ] as const) {
    Object.assign(clock, { now, changed })
    await check()
  }
  assert.equal(reads, ['0 s', '1 s', '2 s', '63 s'])
})

for (const [what, check, isLimited] of [
  ['persons are erased in time', () => retainHealth(undefined), undefined],
  ['persons cannot be erased', () => retainHealth('MongoDB does not answer'), true],
  ['the days have the time zones of the accounts', daysOfOther([]), undefined],
  ['some days are of another time zone', daysOfOther(['acme']), true],
] as const)
  checks(`${what}: the process is ready, ${isLimited ? 'and the check is limited' : 'without a limit'}`, async () => {
    const { ok, isLimited: limited } = await check()
    assert.equal([ok, limited], [true, isLimited])
  })

checks.run()
