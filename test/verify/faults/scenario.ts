import type { Cluster } from './cluster.ts'
import type { Defence } from './defences.ts'

export type Size = 'short' | 'long'

/** The result of a run; `failures` lists the breaches of the promise and is empty if it was kept. */
export type Findings = {
  readonly injected: number
  readonly accepted: number
  readonly lost: number
  readonly duplicated: number
  readonly inverted: number
  /** Milliseconds. */
  readonly longestStall: number
  readonly failures: ReadonlyArray<string>
  /** Figures that are reported but not judged. */
  readonly notes: ReadonlyArray<string>
  /** Why the scenario could not run here. */
  readonly skipped?: string
}

export type Scenario<Ground = Cluster> = {
  readonly name: string
  readonly promises: string
  readonly fault: string
  /** Without any of these defences the scenario has to fail. */
  readonly controls: ReadonlyArray<Defence>
  /** Also runs within `npm run test:tools`, with these of its controls. */
  readonly inShort: boolean
  readonly shortControls: ReadonlyArray<Defence>
  /** A throw means that the run itself went wrong. It then proves nothing. */
  readonly run: (cluster: Ground, size: Size, without?: Defence) => Promise<Findings>
}
