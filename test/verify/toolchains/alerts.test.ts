import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { type Role, roles } from '../../../src/bridge/domain/roles.ts'
import { run } from '../../../src/tools/embedded/run.ts'
import { debianPackage } from './fetched.ts'

/** Series in promtool's notation (`0+6x90`: 90 steps of a minute, each adds 6): a process with and without a fault. */
type Case = { readonly fault: Series; readonly first?: Series; readonly normal: Series }
type Series = Readonly<Record<string, string>>

const process = '{job="livechat-bridge",instance="bridge:8081"}'
const grows = '0+60x90'
const stands = '5x90'

const gauge = (name: string, fault: string, normal: string): Case => ({
  fault: { [name]: fault },
  normal: { [name]: normal },
})
const counter = (name: string): Case => gauge(name, grows, stands)
/** A counter for which each event is a fault. Its series begins with the first event. */
const event = (name: string): Case => ({ ...counter(name), first: { [name]: '_x75 1x15' } })
const check = (name: string): Case => gauge(`livechat_check_ok{check="${name}"}`, '0x90', '1x90')
const requests = (labels: string) => `livechat_http_request_seconds_count{api="bot",${labels}}`
const attempts = (result: string) => `livechat_delivery_attempt_seconds_count{account="acme",result="${result}"}`
const bucket = (le: string) => `livechat_http_request_seconds_bucket{api="bot",status="200",le="${le}"}`

const addressOf = (role: Role, n: number) => `${role}-${n}:8081`
/** Two processes with one role each, or only the one with this number. */
const processes = (
  those: ReadonlyArray<Role>,
  { number, isUp = '1x90', hasRole = isUp }: { number?: 1 | 2; isUp?: string; hasRole?: string } = {},
): Series =>
  Object.fromEntries(
    those.flatMap((role) =>
      ([1, 2] as const)
        .filter((n) => number === undefined || n === number)
        .flatMap((n) => [
          [`up{job="livechat-bridge",instance="${addressOf(role, n)}"}`, isUp],
          [`livechat_role_info{role="${role}",instance="${addressOf(role, n)}"}`, hasRole],
        ]),
    ),
  )
/** The console is optional. */
const mainRoles = roles.filter((role) => role !== 'console')
const withoutArchiver = mainRoles.filter((role) => role !== 'archiver')

/** For each alert, the fault that must raise it. */
const cases: Readonly<Record<string, Case>> = {
  LivechatDown: gauge(`up${process}`, '0x90', '1x90'),
  LivechatNothingScraped: { fault: {}, normal: processes(mainRoles) },
  LivechatRoleMissing: { fault: processes(withoutArchiver), normal: processes(mainRoles) },
  LivechatRestartsOften: gauge(`process_start_time_seconds${process}`, '0+300x90', '1000x90'),
  LivechatKafkaAway: {
    fault: { 'livechat_check_ok{check="kafka"}': '1x90', livechat_journal_records: '0+10x90' },
    normal: { 'livechat_check_ok{check="kafka"}': '1x90', livechat_journal_records: '0x90' },
  },
  LivechatJournalOld: gauge('livechat_journal_age_seconds', '0+60x90', '0x90'),
  LivechatJournalFull: {
    fault: { 'livechat_check_ok{check="journal"}': '1x90', livechat_journal_bytes: '0+20000000x90' },
    normal: { 'livechat_check_ok{check="journal"}': '1x90', livechat_journal_bytes: '0x90' },
  },
  LivechatDiskNearlyFull: gauge('livechat_journal_disk_free_bytes', '1000000x90', '50000000000x90'),
  LivechatJournalDamaged: gauge('livechat_journal_damaged_places', '1x90', '0x90'),
  LivechatJournalOrphaned: gauge('livechat_journal_orphans', '1x90', '0x90'),
  LivechatSendsFail: counter('livechat_produce_failures_total'),
  LivechatMongoAway: check('mongodb'),
  LivechatConsumerStands: check('projector'),
  LivechatConsumerRestarts: counter('livechat_consumer_restarts_total{group="projector"}'),
  LivechatConsumerBehind: gauge(
    'livechat_consumer_lag_records{group="projector",topic="chats",partition="1"}',
    '20000x90',
    '20x90',
  ),
  LivechatRetentionOverdue: gauge('livechat_retention_overdue_records{topic="chats"}', '3x90', '0x90'),
  LivechatErasuresWait: gauge('livechat_erasures_waiting{account="acme"}', '30x90', '0x90'),
  LivechatNotPrepared: check('topics and indexes'),
  LivechatOutcomesWait: check('outcomes'),
  LivechatRequestsFail: {
    fault: { [requests('status="503"')]: '0+6x90', [requests('status="200"')]: grows },
    normal: { [requests('status="503"')]: stands, [requests('status="200"')]: grows },
  },
  LivechatBotAnswersSlow: {
    fault: { [bucket('1')]: '0x90', [bucket('5')]: grows, [bucket('+Inf')]: grows },
    normal: { [bucket('1')]: grows, [bucket('5')]: grows, [bucket('+Inf')]: grows },
  },
  LivechatNotAuthorized: counter(requests('status="401"')),
  LivechatRateLimited: counter(requests('status="429"')),
  LivechatQuarantine: event('livechat_quarantined_total{api="bot",reason="invalid"}'),
  LivechatProtocolChanged: gauge('livechat_drift_entries{account="acme",kind="unknown-field"}', '3x40 4x50', '4x90'),
  LivechatStatisticsStale: gauge('livechat_stats_age_seconds', '0+60x90', '8x90'),
  LivechatDeadLetters: event('livechat_dead_letters_total{consumer="projector",cause="contract"}'),
  LivechatServiceFails: {
    fault: { [attempts('ECONNREFUSED')]: grows, [attempts('200')]: '0+6x90' },
    normal: { [attempts('503')]: '0+1x90', [attempts('200')]: grows },
  },
  LivechatBotSilent: event(
    'livechat_own_commands_total{account="acme",because="no-reply-in-time",outcome="delivered"}',
  ),
  LivechatRepliesFail: event('livechat_deliveries_total{account="acme",outcome="failed"}'),
  LivechatRepliesDeferred: gauge(
    'livechat_deferred_commands{account="acme",instance="bridge:8081"}',
    '150000x90',
    '20x90',
  ),
  LivechatTranscriptDiffers: gauge('livechat_transcript_differences{account="acme",kind="text"}', '2x90', '0x90'),
  LivechatSlowLoop: gauge(`nodejs_eventloop_lag_p99_seconds${process}`, '0.8x90', '0.02x90'),
  LivechatMemory: gauge(`process_resident_memory_bytes${process}`, '2000000000x90', '200000000x90'),
  LivechatDescriptors: {
    fault: { [`process_open_fds${process}`]: '900x90', [`process_max_fds${process}`]: '1000x90' },
    normal: { [`process_open_fds${process}`]: '90x90', [`process_max_fds${process}`]: '1000x90' },
  },
}

const alertsFile = fileURLToPath(new URL('../../../contracts/guides/alerts.yaml', import.meta.url))

type Alerts = { readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly alert: string }> }> }
const alerts = (parse(readFileSync(alertsFile, 'utf8')) as Alerts).groups.flatMap(({ rules }) => rules)

const rules = suite('alerts, with promtool')
const skipped = await debianPackage('prometheus', 'promtool')
if (skipped !== undefined) console.log(`promtool is skipped: ${skipped}`)
const test = skipped === undefined ? rules : rules.skip
const directory = mkdtempSync(join(tmpdir(), 'livechat-alerts-'))
rules.after(() => rmSync(directory, { recursive: true, force: true }))

const passes = async (tests: ReadonlyArray<object>) => {
  const file = join(directory, 'alerts.test.json')
  writeFileSync(file, JSON.stringify({ rule_files: [alertsFile], evaluation_interval: '1m', tests }))
  const outcome = await run('promtool', ['test', 'rules', file])
  assert.ok(E.isRight(outcome), E.isLeft(outcome) ? outcome.left.output : '')
}
const inputOf = (series: Series) => Object.entries(series).map(([name, values]) => ({ series: name, values }))

test('every alert fires under the fault that it is meant for, and is silent without it', async () => {
  assert.equal(Object.keys(cases).sort(), alerts.map(({ alert }) => alert).sort())
  const state = (alert: string, fires: boolean) => ({
    expr: `count(ALERTS{alertname="${alert}"${fires ? ',alertstate="firing"' : ''}})`,
    eval_time: '80m',
    exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
  })
  const tests = Object.entries(cases).flatMap(([alert, { fault, first, normal }]) =>
    [fault, ...(first === undefined ? [] : [first]), normal].map((series) => ({
      name: `${alert} ${series === normal ? 'is silent' : 'fires'}`,
      interval: '1m',
      input_series: inputOf(series),
      promql_expr_test: [state(alert, series !== normal)],
    })),
  )
  await passes(tests)
})

/** At an address that stays, a process that has ended is down. Where Prometheus finds only what runs, it vanishes. */
const ended = { isUp: '1x69 0x20', hasRole: '1x69 stale' }
const vanished = { isUp: '1x69 stale' }
const all = processes(mainRoles)
const nothing = 'LivechatNothingScraped'
const down = (role: Role, n: number) => `LivechatDown ${addressOf(role, n)}`
const missing = (role: Role) => `LivechatRoleMissing ${role}`

/** What Prometheus knows of the processes, and which alerts fire. */
const situations: ReadonlyArray<readonly [string, Series, ReadonlyArray<string>]> = [
  ['two of each role, and no console', all, []],
  ['two of each role, and a console', { ...all, ...processes(['console'], { number: 1 }) }, []],
  ['nothing is scraped', {}, [nothing, ...mainRoles.map(missing)]],
  ['everything has vanished', processes(mainRoles, vanished), [nothing, ...mainRoles.map(missing)]],
  [
    'the job has another name',
    { 'up{job="pods"}': '1x90', ...processes(mainRoles, { isUp: '_x90', hasRole: '1x90' }) },
    [nothing],
  ],
  ['no archiver was started', processes(withoutArchiver), [missing('archiver')]],
  ['one of two has ended', { ...all, ...processes(['egress'], { number: 2, ...ended }) }, [down('egress', 2)]],
  ['one of two has vanished', { ...all, ...processes(['egress'], { number: 2, ...vanished }) }, []],
  [
    'both have ended',
    { ...all, ...processes(['egress'], ended) },
    [down('egress', 1), down('egress', 2), missing('egress')],
  ],
  ['both have vanished', { ...all, ...processes(['egress'], vanished) }, [missing('egress')]],
  ['the console has vanished', { ...all, ...processes(['console'], vanished) }, [missing('console')]],
]

/** A sample of the query below. */
const sampleOf = (alert: string) => {
  const [alertname, of] = alert.split(' ')
  const label = alertname === 'LivechatDown' ? 'instance' : 'role'
  return { labels: `{alertname="${alertname}"${of === undefined ? '' : `,${label}="${of}"`}}`, value: 1 }
}

test('alerts tell a process that has ended from a role without any, and say if nothing is scraped', () =>
  passes(
    situations.map(([name, series, alerts]) => ({
      name,
      interval: '1m',
      input_series: inputOf(series),
      promql_expr_test: [
        {
          expr: 'count by (alertname, instance, role) (ALERTS{alertstate="firing"})',
          eval_time: '80m',
          exp_samples: alerts.map(sampleOf),
        },
      ],
    })),
  ))

rules.run()
