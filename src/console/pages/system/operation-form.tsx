import { useState } from 'preact/hooks'
import { accountPath, get } from '../../browser/api.ts'
import { useLoad } from '../../browser/hooks.ts'
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
import { wordsOf } from './operation-words.ts'
import type { OperationsAnswer } from './operations.ts'

type Operation = OperationsAnswer['operations'][number]
type Values = Readonly<Record<string, string | boolean>>

/** The options that were filled in. */
const given = (values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== false))

/** What the command line says of an operation, as a sentence of a page. */
const sentence = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

const endWords = (end: OperationEnd<unknown>) =>
  'code' in end && end.code === 0 ? 'It is done.' : 'Something needs your attention: see the lines below.'

/** A form of an operation, with a field for each of its options. */
const OperationCard = ({ account, operation }: { readonly account: string; readonly operation: Operation }) => {
  const { name, summary, options, mayRunDry, isConfirmed } = operation
  const [values, setValues] = useState<Values>({})
  const [dryRun, setDryRun] = useState(mayRunDry)
  const [asks, setAsks] = useState(false)
  const { events, end, ...run } = useOperation<unknown, unknown>(account)
  const words = wordsOf(name)

  const set = (option: string, value: string | boolean) => setValues((before) => ({ ...before, [option]: value }))
  const start = () => {
    setAsks(false)
    run.start({ name, options: given(values), dryRun: mayRunDry && dryRun })
  }
  const lines = [
    ...events.flatMap(words.event),
    ...(end === undefined ? [] : 'stop' in end ? [end.stop.reason] : words.result(end.result)),
  ]
  const questions = options.flatMap(({ name: option, confirm }) =>
    confirm !== undefined && Object.hasOwn(given(values), option) ? [confirm] : [],
  )
  const changes = isConfirmed || questions.length > 0
  const isDry = mayRunDry && dryRun
  const submit = (event: Event) => {
    event.preventDefault()
    if (changes && !isDry) setAsks(true)
    else start()
  }
  return (
    <>
      <Card title={name} id={`operation-${name.replace(' ', '-')}`} aside={<span class="muted">of all accounts</span>}>
        <p class="muted">{sentence(summary)}.</p>
        <form class="filters" onSubmit={submit}>
          {options.map(({ name: option, about, value, isRequired }) =>
            value === undefined ? (
              <div class="row" key={option}>
                <Check label={sentence(about)} checked={values[option] === true} onChange={(on) => set(option, on)} />
              </div>
            ) : (
              <Field key={option} label={`${option}: ${about}`}>
                <input
                  required={isRequired}
                  placeholder={value}
                  onInput={(event: Event) => set(option, valueOfField(event))}
                />
              </Field>
            ),
          )}
          {mayRunDry && (
            <div class="row">
              <Check label="Dry run" checked={dryRun} onChange={setDryRun} />
            </div>
          )}
          <RunButtons word={isDry ? 'Dry run' : changes ? 'Run…' : 'Show'} isBusy={run.isBusy} stop={run.stop} />
        </form>
        <TroubleBox trouble={run.trouble} again={start} />
        <p role="status">
          <strong>{run.isBusy ? 'It runs.' : end && endWords(end)}</strong>
        </p>
        <Lines label={`What ${name} says`} lines={lines} />
      </Card>
      {asks && (
        <Dialog title={`Run ${name}?`} close={() => setAsks(false)}>
          <p>{questions.join(' ')} This concerns all accounts.</p>
          <Confirm word="Run" act={start} close={() => setAsks(false)} />
        </Dialog>
      )}
    </>
  )
}

/** Forms of the operations that the person may run here. */
export const OperationCards = ({ account }: { readonly account: string }) => {
  const offered = useLoad(account, (signal) => get<OperationsAnswer>(accountPath(account, 'operations'), signal))
  return (
    <>
      {offered.value?.operations.map((operation) => (
        <OperationCard key={operation.name} account={account} operation={operation} />
      ))}
    </>
  )
}
