import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBot, text } from 'livechat-bridge/bot'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { roles } from '../../src/app/bridge.ts'
import { anyFree } from '../../src/embedded/port.ts'
import { serviceAccountOf } from '../../src/simulator/account.ts'
import { always } from '../../src/simulator/behaviour.ts'
import { startCluster } from '../faults/cluster.ts'
import type { BridgeProcess } from '../support/bridge-process.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { plainClient } from '../support/plain-consumer.ts'
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

type Rule = { readonly alert: string; readonly for?: string }
const alerts = parse(readFileSync(alertsFile, 'utf8')) as { readonly groups: ReadonlyArray<{ readonly rules: Rule[] }> }
/** The rules as they are, but for how long a fault has to last. */
const atOnce = alerts.groups.map((group) => ({
  ...group,
  rules: group.rules.map((rule) => (rule.for === undefined ? rule : { ...rule, for: '1s' })),
}))

/** Prometheus as docker/prometheus.yaml has it, but more often, and for the one process that `watch` names. */
const startPrometheus = async () => {
  const port = await anyFree()
  const file = (name: string, content: unknown) => {
    const path = join(directory, name)
    writeFileSync(`${path}.new`, JSON.stringify(content))
    renameSync(`${path}.new`, path)
    return path
  }
  const watch = ({ adminUrl }: BridgeProcess) => file('targets.json', [{ targets: [new URL(adminUrl).host] }])
  const config = file('prometheus.json', {
    // A bridge takes up to 2 s to say that a server does not answer.
    global: { scrape_interval: '3s', evaluation_interval: '1s' },
    rule_files: [file('rules.json', { groups: atOnce })],
    scrape_configs: [
      {
        job_name: 'livechat-bridge',
        file_sd_configs: [{ files: [join(directory, 'targets.json')], refresh_interval: '1s' }],
      },
    ],
  })
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
    watch,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

type Answer = { readonly result: ReadonlyArray<{ readonly value: readonly [number, string] }> }
type Active = {
  readonly alerts: ReadonlyArray<{ readonly state: string; readonly labels: { readonly alertname: string } }>
}

/** They tell of a machine that is too small, and tests run beside each other. */
const ofTheMachine = ['LivechatSlowLoop', 'LivechatBotAnswersSlow', 'LivechatMemory', 'LivechatDiskNearlyFull']

/** A bridge with servers that it may lose, a service, a bot that leaves one client without an answer, and an account with a low limit. */
const startWorld = async () => {
  const cluster = await startCluster()
  const here = await world({ ground: cluster, partitions: 2, bot: { replyWithin: 20_000 } })
  const limited = { id: 'limited', webhooks: { token: 'webhooks-token-of-limited' }, requestsPerSecond: 1 }
  const accounts = join(directory, 'accounts.json')
  writeFileSync(accounts, JSON.stringify({ accounts: [here.account, limited] }))
  const place = await here.place(roles, { BRIDGE_CONFIG: accounts, JOURNAL_MAX_BYTES: '50000' })
  const bridge = await place.start()
  await eventually('the bridge to be ready', async () => (await bridge.isReady()) || undefined, 120_000)
  here.service.connect(here.account.id, serviceAccountOf(here.account, bridge.url).bridge ?? { botUrl: '' })
  const bot = await startBot(
    {
      onMessage: ({ data: { message } }) => (message.text === 'silence' ? undefined : text(`You said ${message.text}`)),
    },
    { brokers: here.brokers, topicPrefix: here.prefix, group: `${here.prefix}bot` },
  )
  const post = async (token: string, body: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${bridge.url}/webhooks/${token}`, { method: 'POST', headers, body })).status
  }
  const own = here.account.webhooks.token
  return {
    ...here,
    ...{ cluster, place, bridge, post, own, limited: limited.webhooks.token },
    webhooks: () => Promise.all(samples('webhooks', 'accepted').map(({ text: body }) => post(own, body))),
    stop: async () => {
      await bot.stop()
      await here.stop()
      await cluster.stop()
    },
  }
}

const running = skipped === undefined ? { here: await startWorld(), prometheus: await startPrometheus() } : undefined
panels.after(async () => {
  await running?.prometheus.stop()
  await running?.here.stop()
})

/** Alerts that are pending or firing. */
const active = async () => {
  const { alerts: all } = (await running?.prometheus.ask<Active>('alerts')) ?? { alerts: [] }
  return all.map(({ state, labels }) => ({ state, name: labels.alertname }))
}

/** Goes on with a fault until all of these fire. */
const fire = async (names: ReadonlyArray<string>, goOn: () => Promise<unknown> = async () => {}) => {
  let silent = names
  await eventually(
    'alerts',
    async () => {
      await goOn()
      const firing = (await active()).flatMap(({ state, name }) => (state === 'firing' ? [name] : []))
      silent = silent.filter((name) => !firing.includes(name))
      return silent.length === 0 || undefined
    },
    120_000,
  ).catch(() => assert.equal(silent, [], 'alerts that do not fire'))
}

test('under load every panel of every dashboard has data, and no alert fires', async () => {
  if (running === undefined) return
  const { here, prometheus } = running
  prometheus.watch(here.bridge)
  let round = 0
  let missing = queries
  await eventually(
    'data in every panel',
    async () => {
      round++
      assert.ok((await here.webhooks()).every((status) => status === 200))
      for (const chat of [1, 2, 3]) await here.service.clientWrites(String(chat), `round ${round}`)
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
    120_000,
  ).catch(() => assert.equal(missing, [], 'panels without data'))
  assert.equal(
    (await active()).filter(({ name }) => !ofTheMachine.includes(name)),
    [],
  )
  assert.ok(queries.length > 40)
})

test('alerts tell of what callers, bots and the service do wrong, of many counters from the first time on', async () => {
  if (running === undefined) return
  const { post, own, limited, service, brokers, prefix } = running.here
  const producer = plainClient(brokers).producer()
  await producer.connect()
  await producer.send({ topic: `${prefix}chats`, messages: [{ key: 'acme/1', value: 'no event' }] })
  await producer.disconnect()
  await post(own, '{"event_name": 1}')
  await service.clientWrites('4', 'silence')
  service.misbehave(always({ kind: 'error', status: 400 }))
  const names = [
    'Quarantine',
    'DeadLetters',
    'BotSilent',
    'RepliesFail',
    'ServiceFails',
    'NotAuthorized',
    'RateLimited',
  ]
  await fire(
    names.map((name) => `Livechat${name}`),
    async () => {
      for (let chat = 10; chat < 30; chat++) await service.clientWrites(String(chat), 'Hello')
      await Promise.all([1, 2, 3].map(() => post(limited, '{}')))
      await Promise.all(Array.from({ length: 20 }, () => post('a-token-that-nobody-has', '{}')))
    },
  )
})

test('alerts tell that MongoDB is away', async () => {
  if (running === undefined) return
  running.here.cluster.mongod.kill()
  await fire(['LivechatMongoAway', 'LivechatConsumerStands'], running.here.webhooks)
})

test('alerts tell that Kafka is away, and what becomes of the journal', async () => {
  if (running === undefined) return
  running.here.cluster.broker.kill()
  const names = ['KafkaAway', 'SendsFail', 'JournalFull', 'RequestsFail']
  await fire(
    names.map((name) => `Livechat${name}`),
    running.here.webhooks,
  )
})

test('alerts tell of a process that is down, and of one that has neither topics nor a sound journal', async () => {
  if (running === undefined) return
  const { bridge, place } = running.here
  await bridge.kill('SIGKILL')
  await fire(['LivechatDown'])
  const segment = globSync(join(place.dataDir, '**/*.segment')).sort().at(-1) ?? ''
  const bytes = readFileSync(segment)
  bytes.writeUInt8(bytes.readUInt8(3_000) ^ 1, 3_000)
  writeFileSync(segment, bytes)
  running.prometheus.watch(await place.start())
  await fire(['LivechatJournalDamaged', 'LivechatNotPrepared'])
})

panels.run()
