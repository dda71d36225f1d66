import { counted } from '../../browser/format.ts'
import { Lines, TroubleBox } from '../../browser/parts.tsx'
import { lettersWords } from '../../browser/words.ts'
import type { LettersKind } from './letters.ts'
import { outcomeWords, redriveEndWords, redriveEventWords } from './redrive-outcome.ts'
import type { Run } from './use-redrives.ts'

type Props = { readonly kind: LettersKind; readonly run: Run | undefined; readonly stop: () => void }

/** What is being done with letters, and what became of them. */
export const RedriveStatus = ({ kind, run, stop }: Props) => {
  if (run === undefined) return null
  const { done, notSent, isSending, end, outcome, trouble } = run
  return (
    <div class="outcome">
      <p role="status">
        {isSending ? (
          `Sending: ${counted(done, lettersWords[kind].noun)}`
        ) : (
          <>
            <strong>{redriveEndWords(kind, end)}</strong> {outcome && outcomeWords(outcome)}
          </>
        )}
        {isSending && (
          <>
            {' '}
            <button type="button" onClick={stop}>
              Stop
            </button>
          </>
        )}
      </p>
      <TroubleBox trouble={trouble} />
      <Lines label="What was not sent" lines={notSent.map(redriveEventWords)} />
    </div>
  )
}
