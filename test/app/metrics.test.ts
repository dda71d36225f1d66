import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMetrics, type OfProcess } from '../../src/app/metrics.ts'

const test = suite('metrics')

const linesOf = async (render: () => Promise<string>, ...names: ReadonlyArray<string>) =>
  (await render()).split('\n').filter((line) => names.some((name) => line.startsWith(`livechat_${name}`)))

test('a measurement changes each of its metrics', async () => {
  const { measure, render } = createMetrics()
  measure.produced(3, 1_200, 0.004)
  measure.consumed('projector', 'chats', 2, 500, 17)
  measure.delivery('acme', 'failed', 'no-reply-in-time')
  const lines = await linesOf(render, 'produced', 'produce_seconds_count', 'consume', 'deliveries', 'own_commands')
  assert.equal(
    lines.toSorted(),
    [
      'livechat_own_commands_total{account="acme",because="no-reply-in-time",outcome="failed"} 1',
      'livechat_deliveries_total{account="acme",outcome="failed"} 1',
      'livechat_produce_seconds_count 1',
      'livechat_produced_records_total 3',
      'livechat_produced_bytes_total 1200',
      'livechat_consumed_records_total{group="projector",topic="chats"} 500',
      'livechat_consumer_lag_records{group="projector",topic="chats",partition="2"} 17',
    ].toSorted(),
  )
  measure.partitionLeft('projector', 'chats', 2)
  assert.equal(await linesOf(render, 'consumer_lag'), [])
})

test('a gauge that is read has no values while its source does not answer', async () => {
  const { watch, render } = createMetrics()
  const down = new Error('MongoDB is down')
  let answers = [() => ({ ageSeconds: 4 }), () => Promise.reject(down)] as Array<
    () => { ageSeconds: number } | Promise<never>
  >
  watch('statistics', () => {
    const [first, ...others] = answers
    answers = others
    return first?.() ?? Promise.reject(down)
  })
  assert.equal(await linesOf(render, 'stats_age'), ['livechat_stats_age_seconds 4'])
  assert.equal(await linesOf(render, 'stats_age'), [])
})

test('entries of drift start at 0, so that the first one is an increase', async () => {
  const { watch, render } = createMetrics()
  watch('drift', () => ({ accounts: ['acme'], counts: [{ account: 'acme', kind: 'misfit', entries: 2 }] }))
  const lines = await linesOf(render, 'drift_entries')
  assert.ok(lines.length > 1)
  assert.equal(
    lines.filter((line) => !line.endsWith(' 0')),
    ['livechat_drift_entries{account="acme",kind="misfit"} 2'],
  )
})

test('the other process gets what has a line for each account as text, and joins the rest', async () => {
  const [front, back] = [createMetrics(), createMetrics()]
  front.watch('checks', () => ({ kafka: { ok: true } }))
  back.watch('checks', () => ({ kafka: { ok: false } }))
  front.watch('roles', () => ['ingress', 'egress'])
  back.watch('roles', () => ['projector'])
  back.watch('waiting', () => ({ accounts: ['acme', 'other'], counts: new Map([['acme', 2]]) }))
  const ofBack: OfProcess = JSON.parse(JSON.stringify(await back.ofProcess()))
  assert.not.ok(JSON.stringify(ofBack.joint).includes('acme'))
  assert.equal(await linesOf(() => front.renderWith(async () => ofBack), 'check_ok', 'role', 'clients_waiting'), [
    'livechat_check_ok{check="kafka"} 0',
    'livechat_role_info{role="ingress"} 1',
    'livechat_role_info{role="egress"} 1',
    'livechat_role_info{role="projector"} 1',
    'livechat_clients_waiting{account="acme"} 2',
    'livechat_clients_waiting{account="other"} 0',
  ])
  const only = await linesOf(() => front.renderWith(async () => undefined), 'check_ok', 'clients_waiting')
  assert.equal(only, ['livechat_check_ok{check="kafka"} 1'])
})

test.run()
