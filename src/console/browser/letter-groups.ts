import type { LettersAnswer, LettersKind } from '../answers.ts'
import { count } from './format.ts'
import { html } from './html.ts'
import type { ChangeFilters } from './letters-filters.ts'
import { Card } from './parts.ts'
import { causeWords, lettersWords } from './words.ts'

type Props = {
  readonly kind: LettersKind
  readonly groups: LettersAnswer['groups']
  /** There may be more letters, because not all were read. */
  readonly isCut: boolean
  readonly change: ChangeFilters
}

/** The letters counted by cause and topic, and by reason below. A group is a filter. */
export const LetterGroups = ({ kind, groups, isCut, change }: Props) => html`
  <${Card} title="By reason" id="groups" aside=${html`<span class="muted">of all ${lettersWords[kind].noun}s${isCut && '. There may be more: not all were read'}</span>`}>
    <ul class="plain-list">
      ${groups.map(
        ({ cause, topic, count: size, unresolved, reasons }) => html`<li key=${`${topic}\n${cause}`}>
          <span><button type="button" class="link" data-item onClick=${() => change({ cause, topic, reason: '' })}>${causeWords(cause)}</button>${kind === 'dead-letters' && html` <span class="muted">${topic}</span>`}</span>
          <span class="number">${count(unresolved)} unresolved of ${count(size)}</span>
        </li>
        ${reasons.map(
          (each) => html`<li key=${`${topic}\n${cause}\n${each.reason}`} class="under">
            <button type="button" class="link" data-item onClick=${() => change({ cause, topic, reason: each.reason })}>${each.reason}</button>
            <span class="number muted">${count(each.unresolved)} of ${count(each.count)}</span>
          </li>`,
        )}`,
      )}
    </ul>
  <//>
`
