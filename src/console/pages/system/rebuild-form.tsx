import { useState } from 'preact/hooks'
import type { Rebuilt } from '../../../bridge/operations/rebuild/rebuild.ts'
import type { RebuildEvent } from '../../../bridge/operations/rebuild/replay.ts'
import {
  Card,
  Check,
  Confirm,
  Dialog,
  Field,
  Lines,
  RunButtons,
  TroubleBox,
  valueOfField,
} from '../../browser/parts.tsx'
import { useOperation } from '../../browser/use-operation.ts'
import type { OperationEnd } from '../../line-queue.ts'
import { endingWords, rebuildProgressWords, rebuildWords } from './operation-words.ts'

type What = 'begin' | 'resume' | 'discard'
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

const endWords = (end: OperationEnd<Rebuilt>, isDry: boolean): string => {
  const isDone = 'result' in end && end.result?.done === true
  if (isDry) return isDone ? 'Nothing differs.' : 'It differs, or was not compared.'
  return isDone ? 'It is done.' : 'It was not done.'
}

const lastWords = (end: OperationEnd<Rebuilt>): ReadonlyArray<string> => {
  if ('stop' in end) return [end.stop.reason]
  return end.result === undefined ? [] : endingWords(end.result.ending)
}

type Props = { readonly account: string; readonly views: ReadonlyArray<string> }

/** Rebuilds a view from the topics. The default is a dry run, which only compares. */
export const RebuildCard = ({ account, views }: Props) => {
  const [what, setWhat] = useState<What>('begin')
  const [view, setView] = useState(all)
  const [dryRun, setDryRun] = useState(true)
  const [asks, setAsks] = useState(false)
  const { events, progress, end, ...run } = useOperation<RebuildEvent, Rebuilt>(account)
  const isDry = what === 'begin' && dryRun
  const lines = [...events.flatMap(rebuildWords), ...(end === undefined ? [] : lastWords(end))]

  const start = () => {
    setAsks(false)
    run.start({ name: 'rebuild', options: what === 'begin' ? { view } : { [what]: true }, dryRun: isDry })
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
          <RunButtons
            word={isDry ? 'Compare' : `${whats[what]}…`}
            isDangerous={!isDry}
            isBusy={run.isBusy}
            stop={run.stop}
          />
        </form>
        <TroubleBox trouble={run.trouble} again={start} />
        <p role="status">
          {run.isBusy
            ? 'The rebuild runs. Stay on this page: it is interrupted if you leave.'
            : end !== undefined && <strong>{endWords(end, isDry)}</strong>}
        </p>
        {progress !== undefined && <p class="muted">{rebuildProgressWords(progress)}</p>}
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
          <Confirm word={whats[what]} act={start} close={() => setAsks(false)} />
        </Dialog>
      )}
    </>
  )
}
