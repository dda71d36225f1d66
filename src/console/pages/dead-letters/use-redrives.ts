import { useEffect, useRef, useState } from 'preact/hooks'
import type { Redriven } from '../../../bridge/operations/redrive/batches.ts'
import { sleep } from '../../../bridge/shared/time.ts'
import { accountPath, get, type Trouble } from '../../browser/api.ts'
import { runOperation } from '../../browser/use-operation.ts'
import type { OperationLine } from '../../line-queue.ts'
import type { LettersAnswer, LettersKind } from './letters.ts'
import type { ProcessedAnswer } from './page.ts'
import { failedAgain, type Outcome, type RedriveEnd, type RedriveEvent, sentIn } from './redrive-outcome.ts'

export type RedriveRules = { readonly again: boolean; readonly overwrite: boolean; readonly force: boolean }
type Letter = LettersAnswer['letters'][number]

/** Letters to send, and the place on the page where the outcome is shown. */
export type Sending = { readonly place: string; readonly letters: ReadonlyArray<Letter>; readonly rules: RedriveRules }

/** What was done with letters so far. */
export type Run = {
  readonly done: number
  readonly notSent: ReadonlyArray<RedriveEvent>
  readonly isSending: boolean
  readonly end?: RedriveEnd
  readonly outcome?: Outcome
  readonly trouble?: Trouble
}

export type Of = { readonly account: string; readonly kind: LettersKind; readonly unowned: boolean }

const maxNotSent = 200
/** How many letters one response has at most. */
export const mostLetters = 1_000
const lookEveryMs = 2_000
const lookForMs = 30_000

/** Runs a redrive, or its dry run. `onRun` is called with what is known so far. */
export const redrive = async (
  { account, kind, unowned }: Of,
  { letters, rules }: Omit<Sending, 'place'>,
  dryRun: boolean,
  onRun: (run: Run) => void,
  signal: AbortSignal,
): Promise<Run> => {
  let run: Run = { done: 0, notSent: [], isSending: true }
  const tell = (part: Partial<Run>) => {
    run = { ...run, ...part }
    onRun(run)
  }
  const onLine = (line: OperationLine<RedriveEvent, Redriven>) => {
    if ('end' in line) return tell({ end: line.end })
    const { event, done } = line
    const isSent = event.kind === 'done' || event.kind === 'planned'
    tell({ done, notSent: isSent ? run.notSent : [...run.notSent, event].slice(-maxNotSent) })
  }
  const options = {
    limit: String(Math.max(1, letters.length)),
    id: letters.map(({ id }) => id),
    unowned,
    ...(kind === 'dead-letters' && rules),
  }
  const name = kind === 'quarantine' ? 'redrive quarantine' : 'redrive send'
  const result = await runOperation(account, { name, options, dryRun }, onLine, signal)
  tell({ isSending: false, ...(!result.ok && { trouble: result.trouble }) })
  return run
}

/** The consumers that process these letters, each with its topic. */
const consumersOf = (letters: ReadonlyArray<Letter>) => [
  ...new Set(letters.map(({ consumer = '', topic }) => new URLSearchParams({ consumer, topic }).toString())),
]

/**
 * Runs redrives, and afterwards counts how many letters have failed again: until all are processed, for half a minute at
 * most. `changed` is called when the list of letters may have changed.
 */
export const useRedrives = (of: Of, changed: () => void) => {
  const { account, kind, unowned } = of
  const [runs, setRuns] = useState<ReadonlyMap<string, Run>>(new Map())
  const gone = useRef(new AbortController())
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => gone.current.abort(), [])

  const failedOf = async (ids: ReadonlyArray<string>): Promise<number | undefined> => {
    const query = new URLSearchParams({
      state: 'failed-again',
      limit: String(mostLetters),
      ...(unowned && { unowned: 'true' }),
    })
    const answer = await get<LettersAnswer>(`${accountPath(account, kind)}?${query}`, gone.current.signal)
    return answer.ok ? failedAgain(ids, answer.value.letters) : undefined
  }
  /** Resolves when the consumer has processed everything. */
  const processed = async (query: string, until: number, signal: AbortSignal): Promise<void> => {
    const path = `${accountPath(account, kind, 'processed')}?${query}`
    while (performance.now() < until) {
      const answer = await get<ProcessedAnswer>(path, signal)
      if ((answer.ok && answer.value.isProcessed) || signal.aborted) return
      await sleep(lookEveryMs, signal)
    }
  }
  const follow = async (letters: ReadonlyArray<Letter>, sent: number, tell: (outcome: Outcome) => void) => {
    const until = performance.now() + lookForMs
    const settled = new AbortController()
    const signal = AbortSignal.any([gone.current.signal, settled.signal])
    const waiting = Promise.all(consumersOf(letters).map((query) => processed(query, until, signal))).then(
      () => performance.now() < until,
    )
    const ids = letters.map(({ id }) => id)
    let failed = 0
    tell({ sent, failed, isAwaited: true, isOver: false })
    while (!gone.current.signal.aborted) {
      const isOver = await Promise.race([waiting, sleep(lookEveryMs, signal).then(() => false)])
      const isLast = performance.now() >= until
      failed = (await failedOf(ids)) ?? failed
      const isSettled = isOver || failed >= sent
      tell({ sent, failed, isAwaited: !isLast && !isSettled, isOver: isSettled })
      if (isLast || isSettled) return settled.abort()
    }
  }
  const start = async ({ place, ...sending }: Sending) => {
    const tell = (run: Run) => setRuns((before) => new Map(before).set(place, run))
    stop.current = new AbortController()
    const signal = AbortSignal.any([gone.current.signal, stop.current.signal])
    const run = await redrive(of, sending, false, tell, signal)
    changed()
    const sent = sentIn(run.end)
    if (kind === 'quarantine' || sent === 0) return
    await follow(sending.letters, sent, (outcome) => tell({ ...run, outcome }))
    if (!gone.current.signal.aborted) changed()
  }
  return {
    runs,
    start,
    stop: () => stop.current?.abort(),
    isSending: [...runs.values()].some(({ isSending }) => isSending),
  }
}
