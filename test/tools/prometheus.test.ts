import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBot, text } from 'livechat-bridge/bot'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree } from '../../src/embedded/port.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samples } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { debianPackage } from './fetched.ts'

const alertsFile = fileURLToPath(new URL('../../contracts/guides/alerts.yaml', import.meta.url))
const dashboards = fileURLToPath(new URL('../../docker/grafana/dashboards', import.meta.url))

type Panel = { readonly title: string; readonly targets: ReadonlyArray<{ readonly expr: string }> }
const queries = readdirSync(dashboards).flatMap((file) => {
  const { panels } = JSON.parse(readFileSync(join(dashboards, file), 'utf8')) as {
    readonly panels: ReadonlyArray<Panel>
  }
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ panel: `${file}: ${title}`, expr })))
})

const panels = suite('dashboards, with a real Prometheus')
const skipped = await debianPackage('prometheus', 'prometheus')
if (skipped !== undefined) console.log(`Prometheus is skipped: ${skipped}`)
const test = skipped === undefined ? panels : panels.skip
const directory = temporaryFolder()

/** Prometheus as docker/prometheus.yaml has it, but for one process and every second. */
const startPrometheus = async (target: string) => {
  const port = await anyFree()
  const config = join(directory, 'prometheus.json')
  const every = { scrape_interval: '1s', evaluation_interval: '1s' }
  const job = { job_name: 'livechat-bridge', static_configs: [{ targets: [target] }] }
  writeFileSync(config, JSON.stringify({ global: every, rule_files: [alertsFile], scrape_configs: [job] }))
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(directory, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  const ended = once(child, 'close').finally(() => process.off('exit', killWithParent))
  const ask = async <A>(path: string): Promise<A> => {
    const { data } = (await (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()) as { readonly data: A }
    return data
  }
  return {
    ask,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

type Answer = { readonly result: ReadonlyArray<{ readonly value: readonly [number, string] }> }
type Active = { readonly alerts: ReadonlyArray<{ readonly labels: { readonly alertname: string } }> }

/** They tell of a machine that is too small, and tests run beside each other. */
const ofTheMachine = ['LivechatSlowLoop', 'LivechatBotAnswersSlow', 'LivechatMemory', 'LivechatDiskNearlyFull']

test('under load every panel of every dashboard has data, and no alert fires', async () => {
  const here = await world({ partitions: 2, bot: { replyWithin: 60_000 } })
  const bridge = await here.start()
  const bot = await startBot(
    { onMessage: ({ data: { message } }) => text(`You said ${message.text}`) },
    { brokers: here.brokers, topicPrefix: here.prefix, group: `${here.prefix}bot` },
  )
  const prometheus = await startPrometheus(new URL(bridge.adminUrl).host)
  const webhooks = `${bridge.url}/webhooks/${here.accounts[0]?.webhooks?.token}`
  const headers = { 'content-type': 'application/json' }
  const load = async (round: number) => {
    for (const { text: body } of samples('webhooks', 'accepted'))
      assert.is((await fetch(webhooks, { method: 'POST', headers, body })).status, 200)
    for (const chat of [1, 2, 3]) await here.service.clientWrites(String(chat), `round ${round}`)
  }
  let round = 0
  let missing = queries
  try {
    await eventually(
      'data in every panel',
      async () => {
        await load(++round)
        const left: Array<(typeof queries)[number]> = []
        for (const query of missing) {
          const { result = [] } = await prometheus
            .ask<Partial<Answer>>(`query?query=${encodeURIComponent(query.expr)}`)
            .catch((): Partial<Answer> => ({}))
          if (!result.some(({ value: [, value] }) => Number.isFinite(Number(value)))) left.push(query)
        }
        missing = left
        return missing.length === 0 || undefined
      },
      90_000,
    ).catch(() => assert.equal(missing, [], 'panels without data'))
    const active = await prometheus.ask<Active>('alerts')
    assert.equal(
      active.alerts.map(({ labels }) => labels.alertname).filter((name) => !ofTheMachine.includes(name)),
      [],
    )
  } finally {
    await prometheus.stop()
    await bot.stop()
    await here.stop()
  }
  assert.ok(queries.length > 40)
})

panels.run()
