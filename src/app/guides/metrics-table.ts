import { type Metric, metrics } from '../../bridge/domain/metrics.ts'
import type { Table } from '../../tools/publishing/table.ts'

const quoted = (names: ReadonlyArray<string>) => names.map((name) => `\`${name}\``).join(', ')

/** The table of the operator's guide. */
export const metricsTable = (): Table => ({
  head: ['metric', 'type', 'labels', ''],
  rows: Object.values<Metric>(metrics).map(({ name, kind, labels, help, more = '' }) => [
    `\`livechat_${name}\``,
    kind,
    quoted(labels),
    `${help}${more}`,
  ]),
})
