import type { Check, Findings, Measurement, Series } from './bench.ts'

type Key = Omit<Measurement, 'values'>

/** Gathers a job's figures, round after round. */
export const gatherFindings = () => {
  const figures = new Map<string, Key & { readonly values: number[] }>()
  const checks: Check[] = []
  const series: Series[] = []
  return {
    add: (of: Key, value: number) => {
      const key = JSON.stringify([of.case, of.who, of.metric])
      const figure = figures.get(key) ?? { ...of, values: [] }
      figure.values.push(value)
      figures.set(key, figure)
    },
    check: (what: string, expected: number, found: number) => void checks.push({ what, expected, found }),
    draw: (drawn: Series) => void series.push(drawn),
    findings: (): Findings => ({ measurements: [...figures.values()], series, checks }),
  }
}
export type Gather = ReturnType<typeof gatherFindings>
