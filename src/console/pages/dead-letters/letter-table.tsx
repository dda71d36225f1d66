import { base } from '../../browser/api.ts'
import { count, counted } from '../../browser/format.ts'
import { Badge, Check, Table, Time } from '../../browser/parts.tsx'
import { pathOf } from '../../browser/route.ts'
import { causeWords, letterReason, letterStateWords, lettersWords } from '../../browser/words.ts'
import type { LettersAnswer, LettersKind } from './letters.ts'

type Letter = LettersAnswer['letters'][number]

const tones = { unresolved: 'warn', sent: 'good', 'failed-again': 'bad', erased: '' } as const

/** The table of letters. A letter can be selected and opened. */
export const LetterTable = ({
  account,
  kind,
  letters,
  chosen,
  mayAct,
  isSending,
  choose,
  open,
  send,
}: {
  readonly account: string
  readonly kind: LettersKind
  readonly letters: ReadonlyArray<Letter>
  readonly chosen: ReadonlySet<string>
  readonly mayAct: boolean
  readonly choose: (ids: ReadonlyArray<string>, isChosen: boolean) => void
  readonly open: (letter: Letter) => void
  readonly isSending: boolean
  /** Sends the selected letters again. */
  readonly send: (letters: ReadonlyArray<Letter>) => void
}) => {
  const { title } = lettersWords[kind]
  const selected = letters.filter(({ id }) => chosen.has(id))
  const hasChats = kind === 'dead-letters'
  const head = [title, 'Reason', ...(hasChats ? ['Chat'] : []), 'State', 'From', 'When']
  return (
    <>
      {mayAct && (
        <div class="row">
          <Check
            label={`Select all ${count(letters.length)} shown`}
            checked={letters.length > 0 && selected.length === letters.length}
            onChange={(isChosen) =>
              choose(
                letters.map(({ id }) => id),
                isChosen,
              )
            }
          />
          {selected.length > 0 && (
            <button type="button" disabled={isSending} onClick={() => send(selected)}>
              Send {count(selected.length)} selected again…
            </button>
          )}
        </div>
      )}
      <Table caption={`${title}s, the newest first`} head={head} kind="letters">
        {letters.map((letter, i) => (
          <tr key={letter.id}>
            <th scope="row">
              <span class="check">
                {mayAct && (
                  <input
                    type="checkbox"
                    aria-label={`Select ${letter.id}`}
                    checked={chosen.has(letter.id)}
                    onChange={(event: Event) => choose([letter.id], (event.currentTarget as HTMLInputElement).checked)}
                  />
                )}
                <button type="button" class="link" data-item onClick={() => open(letter)}>
                  {letter.id}
                </button>
              </span>
            </th>
            <td data-label="Reason">
              <span class="cause">{causeWords(letter.cause)}</span>
              {letter.reason !== undefined && <span class="sub">{letterReason(letter, letters[i - 1])}</span>}
            </td>
            {hasChats && (
              <td data-label="Chat">
                {letter.chatId !== undefined && (
                  <a href={`${base}${pathOf(account, 'conversations', '', letter.chatId)}`}>
                    <bdi>{letter.chatId}</bdi>
                  </a>
                )}
              </td>
            )}
            <td data-label="State">
              <Badge tone={tones[letter.state]}>{letterStateWords(letter.state)}</Badge>
              {letter.failures > 1 && <span class="sub">failed {counted(letter.failures, 'time')}</span>}
              {letter.redriven.length > 0 && (
                <span class="sub">
                  sent <Time at={letter.redriven.at(-1) ?? ''} />
                </span>
              )}
            </td>
            <td data-label="From">
              {letter.consumer ?? letter.interface ?? letter.topic}
              {kind === 'dead-letters' && <span class="sub">{letter.topic}</span>}
            </td>
            <td data-label="When">
              <Time at={letter.at} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}
