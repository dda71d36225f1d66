import { agoText, counted, duration } from '../../browser/format.ts'
import { Badge, OutsideLink, Said, Time } from '../../browser/parts.tsx'
import { answerWords } from '../../browser/words.ts'
import type { StoryEvent } from '../../documents.ts'
import type { Attempt, Entry, TranscriptLine } from './story-entry.ts'
import type { SessionHead } from './story-items.ts'

const stateTones = { pending: 'plain', delivered: 'good', failed: 'bad', suppressed: 'warn' } as const

/** The text of a message, or a placeholder if the text is hidden or missing. */
const Words = ({ text, masked }: { readonly text: string; readonly masked: boolean }) => {
  if (text !== '')
    return (
      <p class="words">
        <Said text={text} />
      </p>
    )
  return masked ? <p class="hidden-text">hidden</p> : <p class="muted">No text, or it was erased.</p>
}

const AttemptRow = ({ attempt, number }: { readonly attempt: Attempt; readonly number: number }) => (
  <li>
    <span class="muted">{number}.</span> <Time at={attempt.at} />
    <span class={attempt.status === 200 && attempt.code === undefined ? 'good-text' : 'bad-text'}>
      {answerWords(attempt.status, attempt.code)}
    </span>
    <span class="number">{duration(attempt.durationMs)}</span>
  </li>
)

const Attempts = ({ entry: { attempts, detail, state } }: { readonly entry: Entry }) => {
  if (attempts.length === 0 && detail === '') return null
  const total = attempts.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return (
    <details class="attempts" open={state === 'failed'}>
      <summary>
        {counted(attempts.length, 'attempt')}, {duration(total)}
      </summary>
      <ol>
        {attempts.map((attempt, i) => (
          <AttemptRow key={i} attempt={attempt} number={i + 1} />
        ))}
      </ol>
      {detail !== '' && (
        <p>
          <span class="muted">In words:</span> <Said text={detail} />
        </p>
      )}
    </details>
  )
}

const Differences = ({ sentences }: { readonly sentences: ReadonlyArray<string> }) =>
  sentences.length === 0 ? null : (
    <ul class="differences">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )

const Transcript = ({ lines, masked }: { readonly lines: ReadonlyArray<TranscriptLine>; readonly masked: boolean }) => {
  if (lines.length === 0) return null
  return (
    <details class="transcript" open>
      <summary>The service’s transcript: {counted(lines.length, 'message')}</summary>
      <ol>
        {lines.map((line, i) => (
          <li key={i} class={line.from}>
            <p class="meta">
              <strong>
                <bdi>{line.name}</bdi>
              </strong>{' '}
              <Time at={line.at} />
            </p>
            <Words text={line.text} masked={masked} />
            <Differences sentences={line.differences} />
          </li>
        ))}
      </ol>
    </details>
  )
}

type Props = {
  readonly entry: Entry
  readonly masked: boolean
  /** The address of the dead letter of an entry. */
  readonly letterOf: (entry: Entry) => string
  /** Makes the address lead back to an entry. */
  readonly leave: (entry: Entry) => void
  readonly isChosen: boolean
  readonly choose: (event: StoryEvent) => void
}

export const EntryItem = ({ entry, masked, letterOf, leave, isChosen, choose }: Props) => {
  const { event, who, title, text, state, notes, buttons } = entry
  return (
    <li
      id={`entry/${entry.key}`}
      class={`entry ${who} ${text === undefined ? 'step' : 'message'} ${isChosen ? 'chosen' : ''}`}
    >
      <div class="meta">
        <strong>
          <bdi>{title}</bdi>
        </strong>
        {state !== undefined && <Badge tone={stateTones[state]}>{state}</Badge>}
        <Time at={entry.at} /> <span class="muted">{agoText(entry.at)}</span>
        {event !== undefined && (
          <button
            type="button"
            class="link"
            data-item
            aria-pressed={isChosen}
            aria-label={`Details of ${event.type}`}
            onClick={() => choose(event)}
          >
            Details
          </button>
        )}
      </div>
      {text !== undefined && <Words text={text} masked={masked} />}
      {buttons.length > 0 && (
        <ul class="answers" aria-label="Ready-made answers">
          {buttons.map((button, i) => (
            <li key={i}>
              <bdi>{button}</bdi>
            </li>
          ))}
        </ul>
      )}
      {notes.map((note) => (
        <p key={note} class="note">
          <Said text={note} />
        </p>
      ))}
      {entry.letter !== undefined && (
        <p class="note">
          <a href={letterOf(entry)} onClick={() => leave(entry)}>
            Its dead letter
          </a>{' '}
          says {entry.letter.says}.
        </p>
      )}
      {entry.link !== undefined && (
        <p class="note">
          {entry.link.title}: <OutsideLink url={entry.link.url} />
        </p>
      )}
      <Attempts entry={entry} />
      <Differences sentences={entry.differences} />
      <Transcript lines={entry.transcript} masked={masked} />
    </li>
  )
}

export const SessionItem = ({ head }: { readonly head: SessionHead }) => (
  <li class="session">
    <h2>
      {head.title} <Badge>{head.outcome}</Badge>
    </h2>
    <p class="muted">{head.facts.join(' ')}</p>
  </li>
)
