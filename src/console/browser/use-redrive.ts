import { useEffect, useRef, useState } from 'preact/hooks'
import type { LettersAnswer, LettersKind, RedriveLine } from '../answers.ts'
import { accountPath, get, postLines } from './api.ts'
import { useAction } from './hooks.ts'
import { requestQueryOf } from './letters-filters.ts'
import { failedAgain } from './words.ts'

export type RedriveChoice = {
  readonly account: string
  readonly kind: LettersKind
  /** The letters to send. Without them, all that match cause and topic. */
  readonly ids: ReadonlyArray<string> | undefined
  readonly cause: string
  readonly topic: string
  readonly unowned: boolean
}

export type RedriveRules = { readonly again: boolean; readonly overwrite: boolean; readonly force: boolean }
type End = Extract<RedriveLine, { end: unknown }>['end']
type Progress = { readonly lines: ReadonlyArray<string>; readonly done: number; readonly end?: End }
type States = LettersAnswer['states']

const maxLines = 200
const maxLetters = 10_000
const lookEveryMs = 3_000
const looks = 10

const taken = (before: Progress, line: RedriveLine): Progress =>
  'end' in line
    ? { ...before, end: line.end }
    : { ...before, done: line.done, lines: [...before.lines, line.line].slice(-maxLines) }

/**
 * Runs a redrive of the chosen letters, and afterwards counts for a while how many have failed again. `done` is called
 * when the list of letters may have changed.
 */
export const useRedrive = ({ account, kind, ids, cause, topic, unowned }: RedriveChoice, done: () => void) => {
  const [rules, setRules] = useState<RedriveRules>({ again: false, overwrite: false, force: false })
  const [progress, setProgress] = useState<Progress>()
  /** How many the dry run would send; undefined before it, and after a change of the choice. */
  const [planned, setPlanned] = useState<number>()
  /** How many were sent, and how many of them have failed again. */
  const [outcome, setOutcome] = useState<{ readonly sent: number; readonly failed: number }>()
  /** The result of what was sent is not known yet. */
  const [isAwaited, setAwaited] = useState(false)
  const run = useAction<undefined>()
  const stop = useRef<AbortController>(undefined)
  const isGone = useRef(false)
  useEffect(
    () => () => {
      isGone.current = true
      stop.current?.abort()
    },
    [],
  )
  const choice = JSON.stringify([ids, rules, cause, topic])
  useEffect(() => setPlanned(undefined), [choice])

  const readStates = async (): Promise<States | undefined> => {
    const query = requestQueryOf({ cause, topic, chat: '', reason: '', unowned, state: 'all' })
    const answer = await get<LettersAnswer>(`${accountPath(account, kind)}?${query}`)
    return answer.ok ? answer.value.states : undefined
  }
  /** The consumers need a moment. So the states are read for half a minute, or until all have failed. */
  const follow = async (sent: number, before: States) => {
    setAwaited(true)
    for (let i = 0; i < looks && !isGone.current; i++) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      const now = await readStates()
      if (now === undefined || isGone.current) continue
      const failed = failedAgain(sent, before['failed-again'], now['failed-again'])
      setOutcome({ sent, failed })
      if (failed === sent) break
    }
    if (isGone.current) return
    setAwaited(false)
    done()
  }
  const start = (dryRun: boolean) => {
    setOutcome(undefined)
    setProgress({ lines: [], done: 0 })
    stop.current = new AbortController()
    const { signal } = stop.current
    const body = {
      dryRun,
      limit: dryRun ? maxLetters : Math.max(1, planned ?? 1),
      ...(ids === undefined ? { ...(cause && { cause }), ...(topic && { topic }) } : { ids }),
      ...(unowned && { unowned: true }),
      ...Object.fromEntries(Object.entries(rules).filter(([, isSet]) => isSet)),
    }
    void run.run(async () => {
      const before = dryRun || kind === 'quarantine' ? undefined : await readStates()
      const ended: { end?: End } = {}
      const onLine = (line: RedriveLine) => {
        if ('end' in line) ended.end = line.end
        setProgress((shown) => taken(shown ?? { lines: [], done: 0 }, line))
      }
      const result = await postLines<RedriveLine>(accountPath(account, kind, 'redrive'), body, onLine, signal)
      if (!result.ok) return result
      const sent = ended.end?.sent ?? 0
      if (dryRun) setPlanned(sent)
      else {
        setPlanned(undefined)
        if (before !== undefined && sent > 0) void follow(sent, before)
        else done()
      }
      return result
    })
  }
  return {
    rules,
    setRules,
    progress,
    planned,
    outcome,
    isAwaited,
    isBusy: run.isBusy,
    trouble: run.trouble,
    start,
    stop: () => stop.current?.abort(),
  }
}
