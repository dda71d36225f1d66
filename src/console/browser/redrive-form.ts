import { useEffect, useRef, useState } from 'preact/hooks'
import type { LettersAnswer, LettersKind, RedriveLine } from '../answers.ts'
import { accountPath, get, postLines } from './api.ts'
import { count, counted } from './format.ts'
import { useAction } from './hooks.ts'
import { html } from './html.ts'
import { Check, Dialog, Lines, TroubleBox } from './parts.ts'
import { failedAgain, redriveWords, sentAgainWords } from './words.ts'

type Props = {
  readonly account: string
  readonly kind: LettersKind
  /** The letters to send. Without them, all that match cause and topic. */
  readonly ids: ReadonlyArray<string> | undefined
  readonly isSelected?: boolean
  readonly cause?: string
  readonly topic?: string
  readonly unowned: boolean
  readonly done: () => void
}

type Rules = { readonly again: boolean; readonly overwrite: boolean; readonly force: boolean }
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

/** Sends letters again: first a run that sends nothing and says what would be sent, then the real one. */
export const RedriveForm = ({
  account,
  kind,
  ids,
  isSelected = false,
  cause = '',
  topic = '',
  unowned,
  done,
}: Props) => {
  const [rules, setRules] = useState<Rules>({ again: false, overwrite: false, force: false })
  const [asks, setAsks] = useState(false)
  const [progress, setProgress] = useState<Progress>()
  /** How many the dry run would send; undefined before it, and after a change of the choice. */
  const [planned, setPlanned] = useState<number>()
  /** How many were sent, and how many of them have failed again. */
  const [outcome, setOutcome] = useState<{ readonly sent: number; readonly failed: number }>()
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
    const query = new URLSearchParams({
      ...(cause && { cause }),
      ...(topic && { topic }),
      ...(unowned && { unowned: 'true' }),
    })
    const answer = await get<LettersAnswer>(`${accountPath(account, kind)}?${query}`)
    return answer.ok ? answer.value.states : undefined
  }
  /** The consumers need a moment. So the states are read for half a minute, or until all have failed. */
  const follow = async (sent: number, before: States) => {
    for (let i = 0; i < looks && !isGone.current; i++) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      const now = await readStates()
      if (now === undefined || isGone.current) continue
      const failed = failedAgain(sent, before['failed-again'], now['failed-again'])
      setOutcome({ sent, failed })
      if (failed === sent) break
    }
    if (!isGone.current) done()
  }
  const start = (dryRun: boolean) => {
    setAsks(false)
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
  const noun = kind === 'quarantine' ? 'request' : 'letter'
  const what = ids === undefined ? 'all that match' : counted(ids.length, noun)
  const check = (name: keyof Rules, label: string) =>
    html`<${Check} label=${label} checked=${rules[name]} onChange=${(isSet: boolean) => setRules({ ...rules, [name]: isSet })} />`
  return html`
    <p class="muted">${isSelected ? `The ${counted(ids?.length ?? 0, `selected ${noun}`)}.` : ids === undefined ? `All ${noun}s that match ${kind === 'quarantine' ? 'the cause' : 'cause and topic'}.` : `${counted(ids.length, noun)} as shown.`}</p>
    ${
      kind === 'dead-letters' &&
      html`<div class="row">
        ${check('again', 'Also letters that were sent again before')}
        ${check('overwrite', 'Also old visitor details, although they replace newer ones')}
        ${check('force', 'Also letters that were sent again three times')}
      </div>`
    }
    <div class="row">
      <button type="button" class=${planned === undefined ? 'primary' : ''} disabled=${run.isBusy} onClick=${() => start(true)}>Check ${what}</button>
      ${planned !== undefined && planned > 0 && html`<button type="button" class="primary danger" disabled=${run.isBusy} onClick=${() => setAsks(true)}>Send ${count(planned)} again…</button>`}
      ${run.isBusy && html`<button type="button" onClick=${() => stop.current?.abort()}>Stop</button>`}
      <span class="muted">The check sends nothing. It counts what would be sent.</span>
    </div>
    <${TroubleBox} trouble=${run.trouble} />
    ${
      progress !== undefined &&
      html`<div class="progress" role="status">
        ${progress.end === undefined ? html`<p>${run.isBusy ? 'Working' : 'Ended early'}: ${counted(progress.done, noun)}</p>` : html`<p><strong>${progress.end.words}</strong>${planned === 0 && `. Nothing would be sent.${progress.lines.length > 0 ? ' Each line says why.' : ''}`} ${outcome && sentAgainWords(outcome.sent, outcome.failed)}</p>`}
      </div>
      ${(outcome?.failed ?? 0) === 0 && html`<${Lines} label="What was done" lines=${progress.lines} />`}`
    }
    ${
      asks &&
      html`<${Dialog} title=${`Send ${counted(planned ?? 0, noun)} again?`} close=${() => setAsks(false)}>
        <dl class="consequences">
          ${redriveWords[kind].map(([name, words]) => html`<div key=${name}><dt>${name}</dt><dd>${words}</dd></div>`)}
        </dl>
        <p class="muted">The audit log records that you did this.</p>
        <div class="row">
          <button type="button" class="primary danger" onClick=${() => start(false)}>Send again</button>
          <button type="button" data-safe onClick=${() => setAsks(false)}>Cancel</button>
        </div>
      <//>`
    }
  `
}
