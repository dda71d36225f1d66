import { accountPath, post, postForFile } from '../../browser/api.ts'
import { Chats } from '../../browser/chats.tsx'
import { count, counted } from '../../browser/format.ts'
import { useAction } from '../../browser/hooks.ts'
import { Check, Empty, Time, TroubleBox } from '../../browser/parts.tsx'
import {
  joinedWords,
  maxChatsOfOne,
  nobodyAdvice,
  nobodyWords,
  partName,
  partsWords,
  storedLine,
} from '../../browser/words.ts'
import { EraseDialog } from './erase-dialog.tsx'
import type { Erasure } from './erasures-card.tsx'
import type { PersonAnswer } from './person.ts'
import {
  type Asked,
  type Chosen,
  choiceOf,
  chosenAtFirst,
  isFixed,
  isUnknown,
  type Part,
  sizeOf,
  withChoice,
} from './person-choice.ts'

export type Found = { readonly asked: Asked; readonly person: PersonAnswer }

type Props = {
  readonly account: string
  readonly found: Found
  /** Undefined until the user has chosen. */
  readonly choice: Chosen | undefined
  readonly choose: (choice: Chosen) => void
  /** `words`: who was erased. */
  readonly erased: (erasure: Erasure, words: string) => void
}

const maxLinks = 6

/** Chats and clients that belong together: why they are listed, and how many conversations they add. */
const PartRow = ({
  account,
  asked,
  part,
  checked,
  onChange,
}: {
  readonly account: string
  readonly asked: Asked
  readonly part: Part
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}) => {
  const name = <bdi>{partName(part)}</bdi>
  const reason = joinedWords(part, asked)
  const erased = part.erasedAt !== undefined && (
    <>
      . Erased <Time at={part.erasedAt} />
    </>
  )
  return (
    <li>
      {isFixed(part) ? (
        <strong class="fixed">{name}</strong>
      ) : (
        <Check label={name} checked={checked} onChange={onChange} />
      )}
      <span class="number">
        {isFixed(part) ? '' : '+'}
        {counted(part.chats.length, 'conversation')}
      </span>
      <span class="sub">
        <bdi>{reason}</bdi>
        {erased}. <Chats account={account} chats={part.chats.slice(0, maxLinks)} />
        {part.chats.length > maxLinks && ` and ${count(part.chats.length - maxLinks)} more`}
      </span>
    </li>
  )
}

/** Who was found, in parts that can be left out or included, and what can be done with those who are chosen. */
export const PersonView = ({ account, found: { asked, person }, choice, choose, erased }: Props) => {
  const { parts } = person
  const chosen = choice ?? chosenAtFirst(parts)
  const plan = useAction<PersonAnswer>()
  const file = useAction<undefined>()
  const body = { ...asked, ...choiceOf(parts, chosen) }
  const save = () =>
    file.run(() => postForFile(accountPath(account, 'person', 'export'), body, `person-${asked.kind}.json`))
  const ask = () => plan.run(() => post<PersonAnswer>(accountPath(account, 'person'), body))
  const { conversations, clients } = sizeOf(parts, chosen)
  const size = `${counted(conversations, 'conversation')} and ${counted(clients, 'client')}`
  const isNobody = chosen.size === 0 && parts.length > 0
  if (isUnknown(person)) return <Empty title={nobodyWords(asked.kind)}>{nobodyAdvice(asked.kind, asked.value)}</Empty>
  return (
    <>
      {person.chats.length > maxChatsOfOne && (
        <p class="notice">
          {counted(person.chats.length, 'conversation')} are many for one person. Several persons may use one computer:
          uncheck who is another person.
        </p>
      )}
      {parts.length > 0 && (
        <fieldset>
          <legend>{parts.length > 1 || chosen.size === 0 ? 'Check who is this person' : 'Found'}</legend>
          <ul class="chosen">
            {parts.map((part, i) => (
              <PartRow
                key={part.ids.join()}
                account={account}
                asked={asked}
                part={part}
                checked={chosen.has(i)}
                onChange={(isChosen) => choose(withChoice(parts, chosen, i, isChosen))}
              />
            ))}
          </ul>
        </fieldset>
      )}
      <p role="status">
        {parts.length > 0 ? (
          <strong>{size}</strong>
        ) : (
          `No conversation and no client is stored, only: ${storedLine(person.stored)}`
        )}
        {parts.length > 1 ? ` of ${counted(chosen.size, 'checked line')}` : ''}
      </p>
      <TroubleBox trouble={file.trouble} again={save} />
      <TroubleBox trouble={plan.trouble} again={ask} />
      <div class="row">
        <button type="button" class="primary" onClick={save} disabled={isNobody || file.isBusy}>
          {file.isBusy ? 'Collecting…' : 'Export'}
        </button>
        <button type="button" class="danger" disabled={isNobody || plan.isBusy} onClick={ask}>
          {plan.isBusy ? 'Counting…' : parts.length > 0 ? `Erase ${counted(conversations, 'conversation')}…` : 'Erase…'}
        </button>
        <span class="muted">The audit log records both.</span>
      </div>
      {plan.value !== undefined && (
        <EraseDialog
          account={account}
          asked={asked}
          parts={parts}
          chosen={chosen}
          planned={plan.value}
          close={plan.clear}
          erased={(erasure) => erased(erasure, partsWords(parts.filter((_, i) => chosen.has(i))))}
        />
      )}
    </>
  )
}
