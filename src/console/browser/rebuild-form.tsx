import { useEffect, useRef, useState } from 'preact/hooks'
import type { RebuildBody, RebuildLine } from '../answers.ts'
import { accountPath, postLines } from './api.ts'
import { useAction } from './hooks.ts'
import { Card, Check, Dialog, Field, Lines, TroubleBox, valueOfField } from './parts.tsx'

type What = RebuildBody['what']
const all = 'all'

const whats: Readonly<Record<What, string>> = {
  begin: 'Begin a rebuild',
  resume: 'Continue the interrupted rebuild',
  discard: 'Drop the interrupted rebuild',
}
const viewOptions = (views: ReadonlyArray<string>) =>
  Object.fromEntries([[all, 'all views'], ...views.map((view) => [view, view])])
const optionsOf = (words: Readonly<Record<string, string>>, chosen: string) =>
  Object.entries(words).map(([value, text]) => (
    <option key={value} value={value} selected={value === chosen}>
      {text}
    </option>
  ))

type Props = { readonly account: string; readonly views: ReadonlyArray<string> }

/** Rebuilds a view from the topics. The default is a dry run, which only compares. */
export const RebuildCard = ({ account, views }: Props) => {
  const [what, setWhat] = useState<What>('begin')
  const [view, setView] = useState(all)
  const [dryRun, setDryRun] = useState(true)
  const [asks, setAsks] = useState(false)
  const [lines, setLines] = useState<ReadonlyArray<string>>([])
  const [end, setEnd] = useState<string>()
  const run = useAction<undefined>()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const isDry = what === 'begin' && dryRun

  const take = (line: RebuildLine) => {
    if ('line' in line) setLines((before) => [...before, line.line])
    else
      setEnd(
        line.end.ok
          ? isDry
            ? 'Nothing differs.'
            : 'It is done.'
          : isDry
            ? 'It differs, or was not compared.'
            : 'It was not done.',
      )
  }
  const start = () => {
    setAsks(false)
    setLines([])
    setEnd(undefined)
    stop.current = new AbortController()
    const { signal } = stop.current
    const body: RebuildBody = { what, dryRun: isDry, ...(what === 'begin' && { view }) }
    void run.run(() => postLines<RebuildLine>(accountPath(account, 'rebuild'), body, take, signal))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (isDry) start()
    else setAsks(true)
  }
  return (
    <>
      <Card title="Rebuild a view" id="rebuild" aside={<span class="muted">of all accounts</span>}>
        <form class="filters" onSubmit={submit}>
          <Field label="What">
            <select onChange={(event: Event) => setWhat(valueOfField(event) as What)}>{optionsOf(whats, what)}</select>
          </Field>
          {what === 'begin' && (
            <>
              <Field label="View">
                <select onChange={(event: Event) => setView(valueOfField(event))}>
                  {optionsOf(viewOptions(views), view)}
                </select>
              </Field>
              <div class="row">
                <Check label="Dry run: only compare" checked={dryRun} onChange={setDryRun} />
              </div>
            </>
          )}
          <div class="row">
            <button type="submit" class={isDry ? 'primary' : 'primary danger'} disabled={run.isBusy}>
              {isDry ? 'Compare' : `${whats[what]}…`}
            </button>
            {run.isBusy && (
              <button type="button" onClick={() => stop.current?.abort()}>
                Stop
              </button>
            )}
          </div>
        </form>
        <TroubleBox trouble={run.trouble} again={start} />
        <p role="status">
          {run.isBusy ? 'The rebuild runs. Stay on this page: it is interrupted if you leave.' : <strong>{end}</strong>}
        </p>
        <Lines label="What the rebuild says" lines={lines} />
      </Card>
      {asks && (
        <Dialog title={`${whats[what]}?`} close={() => setAsks(false)}>
          <p>
            This concerns all accounts.{' '}
            {what === 'discard'
              ? 'The unfinished view is deleted, and the live view stays as it is.'
              : 'The bridge reads all events again into a new view, which replaces the live one at the end. Readers see no gap. Nothing is sent, and no event is changed.'}
          </p>
          <p class="muted">The audit log records that you did this.</p>
          <div class="row">
            <button type="button" class="primary danger" onClick={start}>
              {whats[what]}
            </button>
            <button type="button" data-safe onClick={() => setAsks(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
