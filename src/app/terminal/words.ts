import type { ProgressEvent } from '../../bridge/operations/progress.ts'
import type { StepWords } from './progress.ts'

/** A line of a terminal. `err`: for the standard error, because it is no result. */
export type Line = string | { readonly err: string }

export type Confirm = { readonly question: string; readonly declined: string }

type SaidOf<Event> = Exclude<Event, ProgressEvent<unknown>>
type StepOf<Event> = Event extends ProgressEvent<infer Step> ? Step : never

/** What the command line prints of what an operation says and has done. */
export type Words<Event, Result> = {
  readonly result: (result: Result) => ReadonlyArray<Line>
  /** What is printed when a file is written. */
  readonly written?: (path: string, result: Result) => ReadonlyArray<Line>
  /** What `--json` prints. Default: the result. */
  readonly json?: (result: Result) => unknown
  /** What is asked before it acts, and what is said if the answer is not yes. */
  readonly confirm?: Confirm
} & ([SaidOf<Event>] extends [never] ? unknown : { readonly event: (event: SaidOf<Event>) => ReadonlyArray<Line> }) &
  ([StepOf<Event>] extends [never] ? unknown : { readonly step: (step: StepOf<Event>) => StepWords })
