import { useEffect, useRef, useState } from 'preact/hooks'
import { isProgress, type ProgressEvent } from '../../bridge/operations/progress.ts'
import type { OperationEnd, OperationLine } from '../line-queue.ts'
import type { OperationBody } from '../pages/system/operations.ts'
import { accountPath, postLines, type Result } from './api.ts'
import { useAction } from './hooks.ts'

/** Runs an operation. `onLine` is called with each line of what it says. */
export const runOperation = <Event, Done>(
  account: string,
  body: OperationBody,
  onLine: (line: OperationLine<Event, Done>) => void,
  signal: AbortSignal,
): Promise<Result<undefined>> => postLines(accountPath(account, 'operations', 'run'), body, onLine, signal)

type Said<Event, Done> = {
  readonly events: ReadonlyArray<Exclude<Event, ProgressEvent<unknown>>>
  /** How far the present step is. */
  readonly progress?: Extract<Event, ProgressEvent<unknown>>
  readonly end?: OperationEnd<Done>
}

/** An operation that a form runs, and what it has said so far. It is interrupted when the person leaves the page. */
export const useOperation = <Event, Done>(account: string) => {
  const [said, setSaid] = useState<Said<Event, Done>>({ events: [] })
  const run = useAction<undefined>()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const take = (line: OperationLine<Event, Done>) =>
    setSaid((before) => {
      if ('end' in line) return { events: before.events, end: line.end }
      const { event } = line
      if (isProgress(event)) return { ...before, progress: event as Extract<Event, ProgressEvent<unknown>> }
      return { ...before, events: [...before.events, event as Exclude<Event, ProgressEvent<unknown>>] }
    })
  return {
    ...said,
    isBusy: run.isBusy,
    trouble: run.trouble,
    start: (body: OperationBody) => {
      setSaid({ events: [] })
      stop.current = new AbortController()
      const { signal } = stop.current
      void run.run(() => runOperation(account, body, take, signal))
    },
    stop: () => stop.current?.abort(),
  }
}
