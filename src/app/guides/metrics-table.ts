import { type Metric, metrics } from '../../domain/metrics.ts'
import type { Table } from '../../publishing/table.ts'

type Row = Pick<Metric, 'kind' | 'labels' | 'help'> & { readonly names: ReadonlyArray<string> }

/** The metrics of the process and of Node.js, which prom-client collects. */
const ofRuntime: ReadonlyArray<Row> = [
  {
    names: ['process_cpu_seconds_total', 'process_cpu_user_seconds_total', 'process_cpu_system_seconds_total'],
    kind: 'counter',
    labels: [],
    help: 'CPU time',
  },
  {
    names: ['process_start_time_seconds'],
    kind: 'gauge',
    labels: [],
    help: 'when the process was started',
  },
  {
    names: ['process_resident_memory_bytes', 'process_virtual_memory_bytes', 'process_heap_bytes'],
    kind: 'gauge',
    labels: [],
    help: 'memory of the process',
  },
  {
    names: ['process_open_fds', 'process_max_fds'],
    kind: 'gauge',
    labels: [],
    help: 'open file descriptors, and their limit',
  },
  {
    names: [
      'nodejs_eventloop_lag_seconds',
      'nodejs_eventloop_lag_min_seconds',
      'nodejs_eventloop_lag_max_seconds',
      'nodejs_eventloop_lag_mean_seconds',
      'nodejs_eventloop_lag_stddev_seconds',
      'nodejs_eventloop_lag_p50_seconds',
      'nodejs_eventloop_lag_p90_seconds',
      'nodejs_eventloop_lag_p99_seconds',
    ],
    kind: 'gauge',
    labels: [],
    help: 'delay of the event loop',
  },
  {
    names: ['nodejs_heap_size_total_bytes', 'nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes'],
    kind: 'gauge',
    labels: [],
    help: "JavaScript's memory",
  },
  {
    names: [
      'nodejs_heap_space_size_total_bytes',
      'nodejs_heap_space_size_used_bytes',
      'nodejs_heap_space_size_available_bytes',
    ],
    kind: 'gauge',
    labels: ['space'],
    help: 'the same by heap space',
  },
  {
    names: ['nodejs_gc_duration_seconds'],
    kind: 'histogram',
    labels: ['kind'],
    help: 'garbage collection',
  },
  {
    names: ['nodejs_active_resources', 'nodejs_active_handles', 'nodejs_active_requests'],
    kind: 'gauge',
    labels: ['type'],
    help: 'resources that keep the process alive',
  },
  {
    names: ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'],
    kind: 'gauge',
    labels: [],
    help: 'their totals',
  },
  {
    names: ['nodejs_version_info'],
    kind: 'gauge',
    labels: ['version', 'major', 'minor', 'patch'],
    help: 'the runtime',
  },
]

const quoted = (names: ReadonlyArray<string>) => names.map((name) => `\`${name}\``).join(', ')

const ours: ReadonlyArray<Metric> = Object.values(metrics)

/** The table of the operator's guide. */
export const metricsTable = (): Table => ({
  head: ['metric', 'type', 'labels', ''],
  rows: [
    ...ours.map(
      ({ name, kind, labels, help, more = '' }): Row => ({
        names: [`livechat_${name}`],
        kind,
        labels,
        help: `${help}${more}`,
      }),
    ),
    ...ofRuntime,
  ].map(({ names, kind, labels, help }) => [quoted(names), kind, quoted(labels), help]),
})
