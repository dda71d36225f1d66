import { isJsonObject } from '../shared/json.ts'

/** How much is done, in records of the log or in other units. */
export type Progress = { readonly done: number; readonly total: number }

/** What an operation says of a step that takes its time. `waitsFor`: what it waits for, if anything. */
export type ProgressEvent<Step> = Progress & {
  readonly kind: 'progress'
  readonly step: Step
  readonly waitsFor?: string
  readonly isOver: boolean
}

/** Says how far a step is, and at the end once more. */
export const progress = <Step>(say: (event: ProgressEvent<Step>) => void, step: Step) => {
  let last: Progress | undefined
  return {
    at: ({ done, total }: Progress, waitsFor?: string) => {
      last = { done, total }
      say({ kind: 'progress', step, ...last, ...(waitsFor !== undefined && { waitsFor }), isOver: false })
    },
    end: () => {
      if (last !== undefined) say({ kind: 'progress', step, ...last, isOver: true })
    },
  }
}

export const isProgress = (event: unknown): event is ProgressEvent<unknown> =>
  isJsonObject(event) && event.kind === 'progress'
