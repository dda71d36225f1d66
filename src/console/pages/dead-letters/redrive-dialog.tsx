import { useState } from 'preact/hooks'
import { accountPath, get, type Result } from '../../browser/api.ts'
import { count, counted } from '../../browser/format.ts'
import { useLoad } from '../../browser/hooks.ts'
import { Check, Confirm, Dialog, Lines, TroubleBox } from '../../browser/parts.tsx'
import { lettersWords } from '../../browser/words.ts'
import { type LettersFilters, requestQueryOf, sentBy } from './filters.ts'
import type { LettersAnswer } from './letters.ts'
import { redriveEventWords, sentIn } from './redrive-outcome.ts'
import { chatsOf, effectOf, reasonOf, warningOf } from './redrive-plan.ts'
import { mostLetters, type Of, type RedriveRules, type Run, redrive, type Sending } from './use-redrives.ts'

type Letter = LettersAnswer['letters'][number]

/** Letters to send: these, or all that match the filters. */
export type Choice = {
  /** Where the outcome is shown. */
  readonly place: string
  readonly letters?: ReadonlyArray<Letter>
  readonly filters?: LettersFilters
}

type Props = {
  readonly of: Of
  readonly choice: Choice
  readonly close: () => void
  readonly start: (sending: Sending) => void
}

type Planned = { readonly letters: ReadonlyArray<Letter>; readonly others: number; readonly run: Run }

/** Says how many letters would be sent, as a run that sends nothing has found, and asks. */
export const RedriveDialog = ({ of, choice, close, start }: Props) => {
  const { account, kind } = of
  const [rules, setRules] = useState<RedriveRules>({ again: false, overwrite: false, force: false })
  const key = JSON.stringify(rules)
  const plan = useLoad(key, async (signal): Promise<Result<Planned>> => {
    const { filters } = choice
    let found = { letters: choice.letters ?? [], others: 0 }
    if (filters !== undefined) {
      const query = requestQueryOf(sentBy(filters, rules))
      const path = `${accountPath(account, kind)}?${query}${query && '&'}limit=${mostLetters}`
      const answer = await get<LettersAnswer>(path, signal)
      if (!answer.ok) return answer
      const { letters, count: all } = answer.value
      found = { letters, others: all - letters.length }
    }
    const run = await redrive(of, { letters: found.letters, rules }, true, () => {}, signal)
    return run.trouble === undefined ? { ok: true, value: { ...found, run } } : { ok: false, trouble: run.trouble }
  })
  const { trouble } = plan
  const planned = plan.of === key ? plan.value : undefined
  const { noun } = lettersWords[kind]
  const chats = planned && chatsOf(planned.letters)
  const size = sentIn(planned?.run.end)
  const warning = planned && warningOf(kind, planned.letters, size)
  const send = () => {
    if (planned === undefined) return
    start({ place: choice.place, letters: planned.letters, rules })
    close()
  }
  const check = (name: keyof RedriveRules, label: string) => (
    <Check label={label} checked={rules[name]} onChange={(isSet: boolean) => setRules({ ...rules, [name]: isSet })} />
  )
  return (
    <Dialog title={`Send ${noun}s again?`} close={close}>
      {planned !== undefined && planned.letters.length > 0 && (
        <dl class="consequences">
          <div>
            <dt>Reason</dt>
            <dd>{reasonOf(planned.letters)}</dd>
          </div>
          {chats !== undefined && (
            <div>
              <dt>Where</dt>
              <dd>
                <bdi>{chats}</bdi>
              </dd>
            </div>
          )}
          {warning !== undefined && (
            <div>
              <dt>Will it help?</dt>
              <dd>{warning}</dd>
            </div>
          )}
          {size > 0 && (
            <div>
              <dt>What happens</dt>
              <dd>{effectOf(kind, planned.letters)}</dd>
            </div>
          )}
        </dl>
      )}
      {kind === 'dead-letters' && (
        <details>
          <summary>More choices</summary>
          {check('again', 'Also letters that were sent again before')}
          {check('overwrite', 'Also old visitor details, although they replace newer ones')}
          {check('force', 'Also letters that were sent again three times')}
        </details>
      )}
      <TroubleBox trouble={trouble} />
      <p role="status">
        {planned === undefined ? (
          trouble === undefined && 'Counting what would be sent…'
        ) : (
          <strong>{size === 0 ? 'Nothing would be sent.' : `${counted(size, noun)} would be sent.`}</strong>
        )}
        {planned !== undefined &&
          planned.others > 0 &&
          ` These are the newest ${count(planned.letters.length)}: send the other ${count(planned.others)} afterwards.`}
      </p>
      <Lines label="What would not be sent" lines={(planned?.run.notSent ?? []).map(redriveEventWords)} />
      <Confirm
        word={size === 0 ? 'Send again' : `Send ${count(size)} again`}
        act={send}
        close={close}
        isDisabled={size === 0}
      >
        <span class="muted">The audit log records it.</span>
      </Confirm>
    </Dialog>
  )
}
