import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { world } from '../support/world.ts'

const read = (name: string) => readFileSync(new URL(`../../contracts/guides/${name}`, import.meta.url), 'utf8')

const here = await world()
const bridge = await here.start()
const metricsText = await (await fetch(`${bridge.adminUrl}/metrics`)).text()

type Metric = { readonly name: string; readonly type: string }
const byName = (a: Metric, b: Metric) => (a.name < b.name ? -1 : 1)

/** The metrics that a running bridge exposes: its own, and those of the process and of Node.js. */
const exposed: ReadonlyArray<Metric> = [...metricsText.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  .map(([, name = '', type = '']) => ({ name, type }))
  .sort(byName)

const rows = [...read('metrics.md').matchAll(/^\| (`.*?) \| (\w+) \| (.*?) ?\| /gm)].map(
  ([, names = '', type = '', labels = '']) => ({
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
    type,
  }),
)
const documented = rows.flatMap(({ names, type }) => names.map((name) => ({ name, type }))).sort(byName)
const labelsOf = new Map(rows.flatMap(({ names, labels }) => names.map((name) => [name, labels] as const)))

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}
const alerts = parse(read('alerts.yaml')) as { readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }> }
const rules = alerts.groups.flatMap((group) => group.rules)

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
const anchorsOf = (page: string) => [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slug(heading))

/** The metrics and labels that Prometheus itself adds. */
const ofPrometheus = { metrics: ['up'], labels: ['job', 'instance', 'le'] }
const words = [
  'count',
  'min',
  'max',
  'topk',
  'vector',
  'sum',
  'by',
  'rate',
  'increase',
  'changes',
  'histogram_quantile',
  'or',
  'unless',
  'offset',
  'absent',
  'present_over_time',
  'and',
  'on',
]

type Dashboard = {
  readonly panels: ReadonlyArray<{ readonly title: string; readonly targets: ReadonlyArray<{ readonly expr: string }> }>
}

const isExposed = (name: string) => exposed.some((metric) => metric.name === name)

/** The metrics that an expression selects, with the labels of each. A histogram has its name without suffix. */
const selectorsOf = (expr: string) =>
  [...expr.replace(/\bby \([^)]*\)/g, 'by').matchAll(/\b([a-z]\w*)\b(?:\{([^}]*)\})?/g)]
    .filter(([, name = '']) => !words.includes(name))
    .map(([, name = '', labels = '']) => ({
      name: isExposed(name) ? name : name.replace(/_(bucket|count|sum)$/, ''),
      labels: [...labels.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
    }))

const isKnown = (name: string, labels: ReadonlyArray<string>) =>
  (ofPrometheus.metrics.includes(name) || isExposed(name)) &&
  labels.every((label) => ofPrometheus.labels.includes(label) || labelsOf.get(name)?.includes(label))

/** An expression without durations (`[5m]`) and label values, because these contain no metrics. */
const bare = (expr: string) => expr.replace(/\[\w+\]/g, '').replace(/"[^"]*"/g, '""')

const guide = suite('guide for an operator')

guide.after(here.stop)

guide('the table of metrics has the names and types of the own metrics of a running bridge', () => {
  assert.equal(
    documented,
    exposed.filter(({ name }) => name.startsWith('livechat_')),
  )
})

guide('every label of a running bridge is in the table', () => {
  const seen = [...metricsText.matchAll(/^(\w+?)(?:_bucket|_count|_sum)?\{([^}]*)\} /gm)].flatMap(
    ([, name = '', labels = '']) => [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => ({ name, label })),
  )
  const unknown = seen.filter(
    ({ name, label }) => label !== 'le' && labelsOf.get(name) !== undefined && !labelsOf.get(name)?.includes(label),
  )
  assert.ok(seen.length > 0)
  assert.equal(unknown, [])
})

guide('every alert uses existing metrics and labels', () => {
  const selected = rules.flatMap(({ alert, expr }) => selectorsOf(bare(expr)).map((each) => ({ alert, ...each })))
  assert.ok(rules.length > 0 && rules.every(({ alert }) => selected.some((each) => each.alert === alert)))
  assert.equal(
    selected.filter(({ name, labels }) => !isKnown(name, labels)),
    [],
  )
})

guide('every panel of the dashboards uses existing metrics and labels', () => {
  const folder = new URL('../../docker/grafana/dashboards/', import.meta.url)
  const queries = readdirSync(folder).flatMap((file) => {
    const { panels } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Dashboard
    return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ panel: `${file}: ${title}`, expr })))
  })
  assert.ok(queries.length > 40)
  assert.equal(
    queries.flatMap(({ panel, expr }) =>
      selectorsOf(bare(expr)).flatMap(({ name, labels }) =>
        isKnown(name, labels) ? [] : [`${panel}: ${name}{${labels}}`],
      ),
    ),
    [],
  )
})

/** The beginning of the journal's metrics, and the Python kit. */
const otherNames = ['livechat_journal', 'livechat_bot']

guide('every metric that a guide names exists in a running bridge', () => {
  const guides = readdirSync(new URL('../../contracts/guides/', import.meta.url)).filter((name) => name.endsWith('.md'))
  const unknown = guides.flatMap((name) =>
    [...read(name).matchAll(/\blivechat_\w+/g)]
      .map(([metric]) => metric.replace(/_(bucket|count|sum)$/, ''))
      .filter((metric) => !otherNames.includes(metric) && !isExposed(metric)),
  )
  assert.equal(unknown, [])
})

guide('every readiness check that an alert names exists in a running bridge', async () => {
  const { checks } = (await (await fetch(`${bridge.adminUrl}/readyz`)).json()) as { readonly checks: object }
  const named = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/check=~?"([^"]*)"/g)].flatMap(([, names = '']) => names.split('|')),
  )
  assert.equal([...new Set(named)].sort(), Object.keys(checks).sort())
})

guide('every alert leads to a section of the runbook, and is named once', () => {
  assert.is(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  assert.equal(
    rules.filter(({ annotations: { runbook } }) => {
      const [page = '', anchor = ''] = runbook.split('#')
      return !anchorsOf(page).includes(anchor)
    }),
    [],
  )
})

guide.run()
