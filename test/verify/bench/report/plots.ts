import type { Result } from '../run-jobs.ts'
import { type BarsOf, bars } from './bars.ts'
import { type LinesOf, lines } from './lines.ts'

export type Plot = { readonly job: string; readonly file: string; readonly title: string; readonly svg: string }

type Wanted =
  | ({ readonly kind: 'bars'; readonly job: string; readonly file: string } & Omit<BarsOf, 'measurements'>)
  | ({ readonly kind: 'lines'; readonly job: string; readonly file: string } & Omit<LinesOf, 'series'>)

const closed = /connection/
const open = /requests\/s/

const wanted: ReadonlyArray<Wanted> = [
  {
    kind: 'bars',
    job: 'ingest',
    file: 'ingest-rate',
    title: 'Ingest: requests a second, closed loop',
    metric: 'rate',
    cases: closed,
  },
  {
    kind: 'bars',
    job: 'ingest',
    file: 'ingest-p99',
    title: 'Ingest: 99th percentile, closed loop',
    metric: 'p99',
    cases: closed,
    logarithmic: true,
  },
  {
    kind: 'bars',
    job: 'ingest',
    file: 'ingest-open',
    title: 'Ingest: 99th percentile at a fixed rate',
    metric: 'p99',
    cases: open,
    logarithmic: true,
  },
  {
    kind: 'bars',
    job: 'whole-way',
    file: 'whole-way-rate',
    title: 'The whole way: events a second until in the views',
    metric: 'rate until in the views',
    cases: closed,
  },
  {
    kind: 'bars',
    job: 'whole-way',
    file: 'whole-way-freshness',
    title: 'The whole way: 99th percentile until an event can be read',
    metric: 'p99 until it can be read',
    cases: /./,
    logarithmic: true,
  },
  {
    kind: 'bars',
    job: 'message-to-reply',
    file: 'message-to-reply',
    title: 'Message to reply: 99th percentile',
    metric: 'p99',
    cases: /./,
    logarithmic: true,
  },
  {
    kind: 'bars',
    job: 'egress',
    file: 'egress',
    title: 'Egress: 99th percentile from command to POST',
    metric: 'p99',
    cases: /./,
  },
  {
    kind: 'bars',
    job: 'projection',
    file: 'projection',
    title: 'Projection: events a second',
    metric: 'rate',
    cases: /./,
  },
  {
    kind: 'bars',
    job: 'growth',
    file: 'growth',
    title: 'Growth: rate as the store grows',
    metric: 'rate',
    cases: /./,
  },
  {
    kind: 'lines',
    job: 'growth',
    file: 'growth-memory',
    title: 'Growth: resident memory of a projector',
    metric: /^memory from .* to 1M/,
  },
  { kind: 'lines', job: 'rebuild', file: 'rebuild-rate', title: 'Rebuild of all views: rate', metric: /^rate$/ },
  {
    kind: 'lines',
    job: 'rebuild',
    file: 'rebuild-memory',
    title: 'Rebuild of all views: resident memory',
    metric: /^memory$/,
  },
  { kind: 'bars', job: 'start', file: 'start', title: 'Start: seconds until ready', metric: 'time', cases: /./ },
]

const drawn = (want: Wanted, { measurements, series = [] }: Result): string | undefined => {
  if (want.kind === 'bars') return bars({ ...want, measurements })
  return lines({ ...want, series })
}

/** The plots of the jobs that have results. */
export const plots = (results: ReadonlyArray<Result>): ReadonlyArray<Plot> =>
  wanted.flatMap((want) => {
    const result = results.find(({ job }) => job === want.job)
    const svg = result && drawn(want, result)
    return svg === undefined ? [] : [{ job: want.job, file: `${want.file}.svg`, title: want.title, svg }]
  })
