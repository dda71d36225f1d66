import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { type Metric, measuring, metrics, type ReadGauge, type Sources, type Update } from '../bridge/domain/metrics.ts'
import { version } from './version.ts'

/**
 * The metrics of a process for the other one, which shows those of both. `joint`: as values, which can be joined.
 * `alone`: those that only this process has, in Prometheus' text format. They have a line for each account, and the
 * other process must not work for them.
 */
export type OfProcess = {
  readonly joint: ReadonlyArray<MetricObjectWithValues<MetricValue<string>>>
  readonly alone: string
}

type Change = (labels: Update['labels'], value: number, isGone?: true) => void

const configOf = ({ name, help, labels, aggregator }: Metric, registry: Registry) => ({
  name: `livechat_${name}`,
  help,
  labelNames: [...labels],
  registers: [registry],
  ...(aggregator !== undefined && { aggregator }),
})

const changing = (metric: Metric, registry: Registry): Change => {
  const config = configOf(metric, registry)
  if (metric.kind === 'counter') {
    const counter = new Counter(config)
    return (labels, value) => counter.inc(labels, value)
  }
  if (metric.kind === 'histogram') {
    const histogram = new Histogram({ ...config, buckets: [...(metric.buckets ?? [])] })
    return (labels, value) => histogram.observe(labels, value)
  }
  const gauge = new Gauge(config)
  return (labels, value, isGone) => (isGone ? gauge.remove(labels) : gauge.set(labels, value))
}

const isRead = (metric: Metric | ReadGauge): metric is ReadGauge => 'read' in metric

const all: ReadonlyArray<Metric | ReadGauge> = Object.values(metrics)

/** The metrics of domain/metrics.ts for Prometheus. */
export const createMetrics = () => {
  const registry = new Registry()
  const ownRegistry = new Registry()
  collectDefaultMetrics({ register: registry })
  const changes = new Map(
    all.filter((metric) => !isRead(metric)).map((metric) => [metric.name, changing(metric, registry)]),
  )
  const measure = measuring(({ metric, labels, value, isGone }) => changes.get(metric.name)?.(labels, value, isGone))
  /** From now on, the gauges of this source are read from it for each scrape. */
  const watch = <S extends keyof Sources>(source: S, ask: () => Sources[S] | Promise<Sources[S]>): void => {
    for (const metric of all.filter(isRead).filter((each) => each.source === source))
      new Gauge({
        ...configOf(metric, metric.aggregator === undefined ? ownRegistry : registry),
        async collect() {
          const state = await Promise.resolve()
            .then(ask)
            .catch(() => undefined)
          this.reset()
          // A gauge without labels is 0 after a reset.
          if (metric.labels.length === 0) this.remove()
          if (state === undefined) return
          for (const { labels, value } of metric.read(state as never)) this.set(labels, value)
        },
      })
  }
  watch('build', () => ({ version, node: process.versions.node }))
  const ofProcess = async (): Promise<OfProcess> => {
    const [joint, alone] = await Promise.all([registry.getMetricsAsJSON(), ownRegistry.metrics()])
    return { joint, alone }
  }
  /** In Prometheus' text format, together with those of another process. */
  const renderWith = async (others: () => Promise<OfProcess | undefined>) => {
    const [own, other] = await Promise.all([ofProcess(), others()])
    const joint = AggregatorRegistry.aggregate([[...own.joint], [...(other?.joint ?? [])]])
    return [await joint.metrics(), own.alone, other?.alone ?? ''].join('')
  }
  const render = async () => (await Promise.all([registry.metrics(), ownRegistry.metrics()])).join('')
  return { measure, watch, ofProcess, renderWith, render }
}

export type Metrics = ReturnType<typeof createMetrics>
