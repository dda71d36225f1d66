import { useEffect, useRef, useState } from 'preact/hooks'
import type { RedriveLine } from '../answers.ts'
import { accountPath, postLines } from './api.ts'
import type { DeadLettersKind } from './dead-letters-page.ts'
import { count } from './format.ts'
import { useAction } from './hooks.ts'
import { html } from './html.ts'
import { Check, Dialog, Field, Lines, TroubleBox, valueOfField } from './parts.ts'

type Props = {
  readonly account: string
  readonly kind: DeadLettersKind
  /** The id of the only letter to send. Without it, the filters select letters. */
  readonly only?: string
  readonly cause?: string
  readonly topic?: string
  readonly done: () => void
}

type Form = {
  readonly cause: string
  readonly topic: string
  readonly since: string
  readonly until: string
  readonly limit: string
  readonly dryRun: boolean
  readonly again: boolean
  readonly overwrite: boolean
  readonly force: boolean
}

type Progress = {
  readonly lines: ReadonlyArray<string>
  readonly done: number
  readonly end?: Extract<RedriveLine, { end: unknown }>['end']
}

const mostLines = 200

/** The local time of a form field as RFC 3339; empty if there is none. */
const instantOf = (local: string): string => {
  const at = new Date(local)
  return local === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

const bodyOf = (form: Form, only: string | undefined) => {
  const filters =
    only === undefined
      ? { cause: form.cause, topic: form.topic, since: instantOf(form.since), until: instantOf(form.until) }
      : { id: only }
  return {
    dryRun: form.dryRun,
    limit: only === undefined ? Number(form.limit) : 1,
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '')),
    ...(form.again && { again: true }),
    ...(form.overwrite && { overwrite: true }),
    ...(form.force && { force: true }),
  }
}

const taken = (before: Progress, line: RedriveLine): Progress =>
  'end' in line
    ? { ...before, end: line.end }
    : { ...before, done: line.done, lines: [...before.lines, line.line].slice(-mostLines) }

const ProgressView = ({
  progress,
  limit,
  isBusy,
}: {
  readonly progress: Progress
  readonly limit: number
  readonly isBusy: boolean
}) => html`
  <div class="progress" role="status">
    ${
      progress.end === undefined
        ? html`<p>${isBusy ? 'Sending' : 'Ended early'}: ${count(progress.done)} of at most ${count(limit)}</p>
            <progress max=${limit} value=${progress.done} aria-label="Sent again"></progress>`
        : html`<p><strong>${progress.end.words}</strong></p>`
    }
  </div>
  <${Lines} label="What was done" lines=${progress.lines} />
`

/** Sends one letter again, or all that match the filters. The default is a dry run, which sends nothing. */
export const RedriveForm = ({ account, kind, only, cause = '', topic = '', done }: Props) => {
  const [form, setForm] = useState<Form>({
    cause,
    topic,
    since: '',
    until: '',
    limit: '100',
    dryRun: true,
    again: false,
    overwrite: false,
    force: false,
  })
  const [asks, setAsks] = useState(false)
  const [progress, setProgress] = useState<Progress>()
  const run = useAction<undefined>()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const change = (name: keyof Form) => (event: Event) => setForm({ ...form, [name]: valueOfField(event) })
  const check = (name: keyof Form) => (checked: boolean) => setForm({ ...form, [name]: checked })
  const body = bodyOf(form, only)

  const start = () => {
    setAsks(false)
    setProgress({ lines: [], done: 0 })
    stop.current = new AbortController()
    const { signal } = stop.current
    void run.run(async () => {
      const onLine = (line: RedriveLine) => setProgress((before) => taken(before ?? { lines: [], done: 0 }, line))
      const result = await postLines<RedriveLine>(accountPath(account, kind, 'redrive'), body, onLine, signal)
      if (result.ok && !form.dryRun) done()
      return result
    })
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (form.dryRun) start()
    else setAsks(true)
  }
  const what = only === undefined ? `up to ${count(body.limit)}` : only
  return html`
    <form class="filters" onSubmit=${submit}>
      ${
        only === undefined &&
        html`
          <${Field} label="Cause"><input value=${form.cause} onInput=${change('cause')} placeholder="any" /><//>
          ${kind === 'dead-letters' && html`<${Field} label="Topic"><input value=${form.topic} onInput=${change('topic')} placeholder="any" /><//>`}
          <${Field} label="Since"><input type="datetime-local" value=${form.since} onInput=${change('since')} /><//>
          <${Field} label="Until"><input type="datetime-local" value=${form.until} onInput=${change('until')} /><//>
          <${Field} label="At most"><input type="number" min="1" max="10000" required value=${form.limit} onInput=${change('limit')} /><//>
        `
      }
      <div class="row">
        <${Check} label="Dry run: send nothing" checked=${form.dryRun} onChange=${check('dryRun')} />
        ${
          kind === 'dead-letters' &&
          html`
            <${Check} label="Also what was sent before" checked=${form.again} onChange=${check('again')} />
            <${Check} label="Also state that is older than its view" checked=${form.overwrite} onChange=${check('overwrite')} />
            <${Check} label="Also what was sent three times" checked=${form.force} onChange=${check('force')} />
          `
        }
      </div>
      <div class="row">
        <button type="submit" class=${form.dryRun ? 'primary' : 'primary danger'} disabled=${run.isBusy}>
          ${form.dryRun ? 'Try it' : `Send ${what} again…`}
        </button>
        ${run.isBusy && html`<button type="button" onClick=${() => stop.current?.abort()}>Stop</button>`}
      </div>
    </form>
    <${TroubleBox} trouble=${run.trouble} again=${start} />
    ${progress !== undefined && html`<${ProgressView} progress=${progress} limit=${body.limit} isBusy=${run.isBusy} />`}
    ${
      asks &&
      html`<${Dialog} title="Send again?" close=${() => setAsks(false)}>
        <p>This sends ${what} again for real. The audit log records it.</p>
        <div class="row">
          <button type="button" class="primary danger" onClick=${start}>Send again</button>
          <button type="button" onClick=${() => setAsks(false)}>Cancel</button>
        </div>
      <//>`
    }
  `
}
