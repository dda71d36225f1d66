import { createHistogram } from 'node:perf_hooks'

/** In milliseconds. */
export type Latency = {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

const highestUs = 120_000_000

/** Records latencies in an HDR histogram of three digits. */
export const latencies = () => {
  const histogram = createHistogram({ lowest: 1, highest: highestUs, figures: 3 })
  const at = (percent: number) => histogram.percentile(percent) / 1000
  return {
    record: (ms: number) => histogram.record(Math.min(highestUs, Math.max(1, Math.round(ms * 1000)))),
    count: () => histogram.count,
    summary: (): Latency => ({ p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: histogram.max / 1000 }),
  }
}
