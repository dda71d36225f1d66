import type { Cluster } from './cluster.ts'
import type { Defence } from './defences.ts'

export type Size = 'short' | 'long'

/** What a run has to show; `failures` are the promise's breaches, empty where it was kept. */
export type Findings = {
  readonly injected: number
  readonly accepted: number
  readonly lost: number
  readonly duplicated: number
  readonly inverted: number
  /** Milliseconds. */
  readonly longestStall: number
  readonly failures: ReadonlyArray<string>
  /** Figures that are told and not judged. */
  readonly notes: ReadonlyArray<string>
  /** Why it could not run here. */
  readonly skipped?: string
}

export type Scenario<Ground = Cluster> = {
  readonly name: string
  readonly promises: string
  readonly fault: string
  /** Those without which it has to fail. */
  readonly controls: ReadonlyArray<Defence>
  /** Runs within `npm test` as well, with these of its controls. */
  readonly inShort: boolean
  readonly shortControls: ReadonlyArray<Defence>
  /** A throw means that the run itself went wrong, which proves nothing either way. */
  readonly run: (cluster: Ground, size: Size, without?: Defence) => Promise<Findings>
}
