import { useState } from 'preact/hooks'
import { count, counted } from './format.ts'
import { html } from './html.ts'
import { Check, Dialog, Lines, TroubleBox } from './parts.ts'
import { type RedriveChoice, type RedriveRules, useRedrive } from './use-redrive.ts'
import { lettersWords, redriveLineWords, sentAgainWords } from './words.ts'

type Props = Omit<RedriveChoice, 'cause' | 'topic'> & {
  readonly isSelected?: boolean
  readonly cause?: string
  readonly topic?: string
  readonly done: () => void
}

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
  const [asks, setAsks] = useState(false)
  const choice = { account, kind, ids, cause, topic, unowned }
  const { rules, setRules, progress, planned, outcome, isAwaited, isBusy, trouble, start, stop } = useRedrive(
    choice,
    done,
  )
  const send = () => {
    setAsks(false)
    start(false)
  }
  const { noun, criteria, redrive } = lettersWords[kind]
  const what = ids === undefined ? 'all that match' : counted(ids.length, noun)
  const check = (name: keyof RedriveRules, label: string) =>
    html`<${Check} label=${label} checked=${rules[name]} onChange=${(isSet: boolean) => setRules({ ...rules, [name]: isSet })} />`
  return html`
    <p class="muted">${isSelected ? `The ${counted(ids?.length ?? 0, `selected ${noun}`)}.` : ids === undefined ? `All ${noun}s that match ${criteria}.` : `${counted(ids.length, noun)} as shown.`}</p>
    ${
      kind === 'dead-letters' &&
      html`<div class="row">
        ${check('again', 'Also letters that were sent again before')}
        ${check('overwrite', 'Also old visitor details, although they replace newer ones')}
        ${check('force', 'Also letters that were sent again three times')}
      </div>`
    }
    <div class="row">
      <button type="button" class=${planned === undefined ? 'primary' : ''} disabled=${isBusy} onClick=${() => start(true)}>Check ${what}</button>
      ${planned !== undefined && planned > 0 && html`<button type="button" class="primary danger" disabled=${isBusy} onClick=${() => setAsks(true)}>Send ${count(planned)} again…</button>`}
      ${isBusy && html`<button type="button" onClick=${() => stop()}>Stop</button>`}
      <span class="muted">The check sends nothing. It counts what would be sent.</span>
    </div>
    <${TroubleBox} trouble=${trouble} />
    ${
      progress !== undefined &&
      html`<div class="progress" role="status">
        ${progress.end === undefined ? html`<p>${isBusy ? 'Working' : 'Ended early'}: ${counted(progress.done, noun)}</p>` : html`<p><strong>${progress.end.words}</strong>${planned === 0 && `. Nothing would be sent.${progress.lines.length > 0 ? ' Each line says why.' : ''}`} ${outcome && sentAgainWords(outcome.sent, outcome.failed)} ${isAwaited && 'Waiting for the result…'}</p>`}
      </div>
      ${(outcome?.failed ?? 0) === 0 && html`<${Lines} label="What was done" lines=${progress.lines.map(redriveLineWords)} />`}`
    }
    ${
      asks &&
      html`<${Dialog} title=${`Send ${counted(planned ?? 0, noun)} again?`} close=${() => setAsks(false)}>
        <dl class="consequences">
          ${redrive.map(([name, words]) => html`<div key=${name}><dt>${name}</dt><dd>${words}</dd></div>`)}
        </dl>
        <p class="muted">The audit log records that you did this.</p>
        <div class="row">
          <button type="button" class="primary danger" onClick=${send}>Send again</button>
          <button type="button" data-safe onClick=${() => setAsks(false)}>Cancel</button>
        </div>
      <//>`
    }
  `
}
