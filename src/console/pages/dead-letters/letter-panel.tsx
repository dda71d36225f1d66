import { accountPath, base, post } from '../../browser/api.ts'
import { bytes, counted } from '../../browser/format.ts'
import { useAction } from '../../browser/hooks.ts'
import { Copy, Panel, Time, TroubleBox } from '../../browser/parts.tsx'
import { bytesText, RecordView } from '../../browser/record-view.tsx'
import { pathOf } from '../../browser/route.ts'
import { causeWords, lettersWords } from '../../browser/words.ts'
import type { LetterAnswer, LettersAnswer, LettersKind } from './letters.ts'
import { RedriveStatus } from './redrive-status.tsx'
import type { Run } from './use-redrives.ts'

type Letter = LettersAnswer['letters'][number]

/** One letter: its facts, its payload on request, and the form that sends it again. */
export const LetterPanel = ({
  account,
  kind,
  letter,
  mayAct,
  unowned,
  reply,
  run,
  isSending,
  close,
  send,
  stop,
}: {
  readonly account: string
  readonly kind: LettersKind
  readonly letter: Letter
  readonly mayAct: boolean
  readonly unowned: boolean
  /** The entry of the story to go back to. */
  readonly reply: string
  readonly run: Run | undefined
  readonly isSending: boolean
  readonly close: () => void
  readonly send: () => void
  readonly stop: () => void
}) => {
  const shown = useAction<LetterAnswer>()
  const body = { id: letter.id, ...(unowned && { unowned: true }) }
  const show = () => shown.run(() => post<LetterAnswer>(accountPath(account, kind, 'show'), body))
  return (
    <Panel title={`${lettersWords[kind].title} ${letter.id}`} close={close}>
      <p class="note">
        {causeWords(letter.cause)}
        {letter.reason !== undefined && <>: {letter.reason}</>}
      </p>
      <dl class="pairs">
        <div>
          <dt>Id</dt>
          <dd>
            {letter.id} <Copy text={letter.id} what="the id" />
          </dd>
        </div>
        {letter.chatId !== undefined && (
          <div>
            <dt>Chat</dt>
            <dd>
              <a
                href={`${base}${pathOf(account, 'conversations', reply === '' ? '' : `reply=${encodeURIComponent(reply)}`, letter.chatId)}`}
              >
                {letter.chatId}
                {reply !== '' && ', at the reply'}
              </a>
            </dd>
          </div>
        )}
        {kind === 'dead-letters' && (
          <div>
            <dt>From topic</dt>
            <dd>{letter.topic}</dd>
          </div>
        )}
        {letter.consumer !== undefined && (
          <div>
            <dt>Consumer</dt>
            <dd>{letter.consumer}</dd>
          </div>
        )}
        {letter.interface !== undefined && (
          <div>
            <dt>Interface</dt>
            <dd>{letter.interface}</dd>
          </div>
        )}
        <div>
          <dt>When</dt>
          <dd>
            <Time at={letter.at} />
          </dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd>{bytes(letter.bytes)}</dd>
        </div>
        <div>
          <dt>Failed</dt>
          <dd>{counted(letter.failures, 'time')}</dd>
        </div>
      </dl>
      {!mayAct ? (
        <p class="muted">The role operator can see the payload, and send it again.</p>
      ) : shown.value === undefined ? (
        <>
          <p>
            <button type="button" class="primary" onClick={show} disabled={shown.isBusy}>
              Show the payload
            </button>
          </p>
          <p class="muted">It is shown with personal data. The audit log records that you looked.</p>
          <TroubleBox trouble={shown.trouble} again={show} />
        </>
      ) : (
        <RecordView
          record={shown.value.record}
          text={bytesText(shown.value.record.value)}
          problems={shown.value.problems}
        />
      )}
      {mayAct && (
        <>
          <p>
            <button type="button" disabled={isSending} onClick={send}>
              Send it again…
            </button>
          </p>
          <RedriveStatus kind={kind} run={run} stop={stop} />
        </>
      )}
    </Panel>
  )
}
