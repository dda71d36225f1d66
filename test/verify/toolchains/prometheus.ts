import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { parse } from 'yaml'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'

type Rule = { readonly alert: string; readonly expr: string; readonly for?: string }
const alertsFile = fileURLToPath(new URL('../../../contracts/guides/alerts.yaml', import.meta.url))
const { groups } = parse(readFileSync(alertsFile, 'utf8')) as {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>
}

export const alertNames = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))

/** Thresholds and times that a test cannot reach: the text in the rule, and the text that replaces it. */
const inSmall: Readonly<Record<string, readonly [string, string]>> = {
  LivechatJournalOld: ['> 900', '> 5'],
  LivechatConsumerBehind: ['> 10000', '> 1000'],
  LivechatProtocolChanged: ['offset 1h', 'offset 15s'],
  LivechatStatisticsStale: ['> 120', '> 5'],
  LivechatRepliesDeferred: ['> 100000', '> 0'],
  LivechatMemory: ['> 1024 * 1024 * 1024', '> 400 * 1024 * 1024'],
}
for (const alert of Object.keys(inSmall))
  if (!alertNames.includes(alert)) throw new Error(`there is no alert ${alert} to be made smaller`)

/** The rule with smaller thresholds. A fault has to last for 1 s only. */
const adapted = (rule: Rule): Rule => {
  const [from, to] = inSmall[rule.alert] ?? ['', '']
  if (!rule.expr.includes(from)) throw new Error(`the rule ${rule.alert} does not contain ${from}`)
  return { ...rule, expr: rule.expr.replace(from, to), ...(rule.for !== undefined && { for: '1s' }) }
}

type Answer = { readonly result: ReadonlyArray<{ readonly value: readonly [number, string] }> }
type Active = {
  readonly alerts: ReadonlyArray<{ readonly state: string; readonly labels: { readonly alertname: string } }>
}

/** Prometheus as in docker/prometheus.yaml, but with shorter intervals and only the process that `watch` names. */
export const startPrometheus = async () => {
  const directory = temporaryFolder()
  const port = await anyFree()
  const file = (name: string, content: unknown) => {
    const path = join(directory, name)
    writeFileSync(`${path}.new`, JSON.stringify(content))
    renameSync(`${path}.new`, path)
    return path
  }
  const rules = groups.map((group) => ({ ...group, rules: group.rules.map(adapted) }))
  const config = file('prometheus.json', {
    // A bridge takes up to 2 s to report that a server does not respond.
    global: { scrape_interval: '3s', evaluation_interval: '1s' },
    rule_files: [file('rules.json', { groups: rules })],
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
  await eventually('Prometheus to be ready', () => ask('alerts').catch(() => undefined), 120_000)
  const fired = new Set<string>()
  /** Alerts that are pending or firing. */
  const active = async () => {
    const { alerts } = await ask<Active>('alerts')
    return alerts.map(({ state, labels }) => ({ state, name: labels.alertname }))
  }
  return {
    watch: (adminUrl: string) => file('targets.json', [{ targets: [new URL(adminUrl).host] }]),
    active,
    /** The values that a query returns; empty while it has no data or fails. */
    values: async (query: string): Promise<ReadonlyArray<number>> => {
      const answer = ask<Partial<Answer>>(`query?query=${encodeURIComponent(query)}`)
      const { result = [] } = await answer.catch((): Partial<Answer> => ({}))
      return result.map(({ value: [, value] }) => Number(value)).filter(Number.isFinite)
    },
    /** Repeats a fault until all these alerts fire. */
    fire: async (names: ReadonlyArray<string>, goOn: () => Promise<unknown> = async () => {}) => {
      let silent = names
      await eventually(
        'alerts',
        async () => {
          await goOn()
          const firing = (await active()).flatMap(({ state, name }) => (state === 'firing' ? [name] : []))
          silent = silent.filter((name) => !firing.includes(name))
          return silent.length === 0
        },
        120_000,
      ).catch((error: unknown) => {
        throw new Error(`alerts that do not fire: ${silent.join(', ')}: ${inspect(error)}`)
      })
      for (const name of names) fired.add(name)
    },
    /** All alerts that a test waited for and that fired. */
    fired: (): ReadonlySet<string> => fired,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
