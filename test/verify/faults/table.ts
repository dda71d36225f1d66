import type { Findings, Scenario } from './scenario.ts'

type Named = Pick<Scenario, 'name' | 'promises' | 'fault'>
export type Result = { readonly scenario: Named; readonly findings: Findings }
export type Control = { readonly scenario: Named; readonly without: string; readonly findings: Findings | Error }

const row = (cells: ReadonlyArray<string | number>) => `| ${cells.join(' | ')} |`

const verdictOf = ({ failures, skipped }: Findings) =>
  skipped !== undefined ? `skipped: ${skipped}` : failures.length === 0 ? 'kept' : 'BROKEN'

/** A control proves something only if its run worked and the promise was broken in it. */
export const failedAsItShould = ({ findings }: Control): boolean =>
  !(findings instanceof Error) && findings.failures.length > 0

/** It could not run here, as its scenario. */
export const wasSkipped = ({ findings }: Control): boolean =>
  !(findings instanceof Error) && findings.skipped !== undefined

export const tableOf = (results: ReadonlyArray<Result>): string =>
  [
    row(['promise', 'fault', 'injected', 'accepted', 'lost', 'duplicated', 'inverted', 'longest stall', '']),
    row(['---', '---', ...Array(6).fill('---:'), '---']),
    ...results.map(({ scenario, findings }) => {
      const { injected, accepted, lost, duplicated, inverted, longestStall } = findings
      const figures = [injected, accepted, lost, duplicated, inverted].map((figure) => figure.toLocaleString('en'))
      return row([
        scenario.promises,
        scenario.fault,
        ...figures,
        `${(longestStall / 1000).toFixed(1)} s`,
        verdictOf(findings),
      ])
    }),
  ].join('\n')

export const notesOf = (results: ReadonlyArray<Result>): string =>
  results
    .flatMap(({ scenario, findings: { notes, failures } }) => [
      `- ${scenario.name}: ${notes.join('; ')}`,
      ...failures.map((failure) => `  - BROKEN: ${failure}`),
    ])
    .join('\n')

export const controlsOf = (controls: ReadonlyArray<Control>): string =>
  [
    row(['promise', 'scenario', 'without', '', 'what it showed']),
    row(['---', '---', '---', '---', '---']),
    ...controls.map((control) => {
      const { scenario, without, findings } = control
      const shown =
        findings instanceof Error
          ? `the run itself failed: ${findings.message.split('\n')[0]}`
          : (findings.skipped ?? (findings.failures.join('; ') || 'nothing'))
      return row([
        scenario.promises,
        scenario.name,
        without,
        wasSkipped(control) ? 'skipped' : failedAsItShould(control) ? 'failed as it should' : 'DID NOT FAIL',
        shown,
      ])
    }),
  ].join('\n')
