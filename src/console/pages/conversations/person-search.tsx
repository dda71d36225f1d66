import { useEffect, useState } from 'preact/hooks'
import type { ConsoleRole } from '../../../bridge/domain/accounts.ts'
import { accountPath, base, post } from '../../browser/api.ts'
import { Chats } from '../../browser/chats.tsx'
import { count, counted } from '../../browser/format.ts'
import { useAction } from '../../browser/hooks.ts'
import { pagesFor } from '../../browser/menu.ts'
import { cameBack } from '../../browser/navigation.ts'
import { Card, Empty, Time, TroubleBox, Waiting } from '../../browser/parts.tsx'
import { pathOf } from '../../browser/route.ts'
import { joinedWords, nobodyAdvice, nobodyWords, partName, typedWords } from '../../browser/words.ts'
import type { PersonAnswer } from '../privacy/person.ts'
import { type Asked, isUnknown, type Part } from '../privacy/person-choice.ts'
import { mayBeInAddress, noFilters, queryOf, typedAs } from './filters.ts'

/** True for who may find persons on the page Privacy. */
export const mayFindPersons = (roles: ReadonlyArray<ConsoleRole>): boolean =>
  pagesFor(roles).some(({ name }) => name === 'privacy')

/** Who was found last, for the way back from a conversation. A reload forgets it. */
const last: { account?: string; asked?: Asked; person?: PersonAnswer } = {}
const foundBefore = (account: string, value: string): PersonAnswer | undefined =>
  cameBack() && last.account === account && last.asked?.value === value ? last.person : undefined

const maxLinks = 20

/** The same function in each render, so that an element gets the focus only when it appears. */
const focus = (element: HTMLElement | null): void => element?.focus()

/** Chats and clients of the person that belong together, with links to the chats, and to the sessions of each client. */
const PartRow = ({
  account,
  asked,
  part,
}: {
  readonly account: string
  readonly asked: Asked
  readonly part: Part
}) => (
  <li>
    <strong>
      <bdi>{partName(part)}</bdi>
    </strong>
    <span class="number">{counted(part.chats.length, 'conversation')}</span>
    <span class="sub">
      <bdi>{joinedWords(part, asked)}</bdi>
      {part.erasedAt !== undefined && (
        <>
          . Erased <Time at={part.erasedAt} />
        </>
      )}
      . <Chats account={account} chats={part.chats.slice(0, maxLinks)} />
      {part.chats.length > maxLinks && ` and ${count(part.chats.length - maxLinks)} more `}
      {part.clients.filter(mayBeInAddress).map((id) => (
        <a key={id} href={`${base}${pathOf(account, 'conversations', queryOf({ ...noFilters, id }))}`}>
          sessions of client <bdi>{id}</bdi>
        </a>
      ))}
    </span>
  </li>
)

type Props = {
  readonly account: string
  readonly roles: ReadonlyArray<ConsoleRole>
  /** An email address or a number. */
  readonly text: string
  readonly searchId: () => void
  readonly close: () => void
}

/**
 * Finds a person's chats like the page Privacy, which the audit log records, or says who can. The text is sent in a body
 * only: addresses and the browser's history have no personal data.
 */
export const PersonSearch = ({ account, roles, text, searchId, close }: Props) => {
  const typed = typedAs(text)
  const [before] = useState(() => foundBefore(account, text))
  const found = useAction(before)
  const asked: Asked = { kind: typed === 'email' ? 'email' : 'phone', value: text }
  const find = () =>
    found.run(async () => {
      const answer = await post<PersonAnswer>(accountPath(account, 'person'), asked)
      if (answer.ok) Object.assign(last, { account, asked, person: answer.value })
      return answer
    })
  const mayFind = mayFindPersons(roles)
  // Whether ten digits are a number of a person must be said first: each search is recorded.
  useEffect(() => {
    if (mayFind && typed !== 'number' && before === undefined) void find()
  }, [])
  // Whoever searches again wants what is there now, and that is recorded again.
  const forget = () => {
    delete last.person
    close()
  }
  const person = found.value
  const isStart = person === undefined && found.trouble === undefined && !found.isBusy
  return (
    <Card
      title="A person’s conversations"
      id="person"
      aside={
        <button type="button" class="quiet" onClick={forget}>
          Close
        </button>
      }
    >
      {typed !== 'id' && (!mayFind || (typed === 'number' && isStart)) && (
        <p role="status">{typedWords(typed, mayFind)}</p>
      )}
      {typed === 'number' && isStart && (
        <div class="row">
          {/* It has the focus, so that Enter a second time searches the id of a chat. */}
          <button type="button" class="primary" ref={focus} onClick={searchId}>
            Search it as an id
          </button>
          {mayFind && (
            <button type="button" onClick={find}>
              Find the person
            </button>
          )}
        </div>
      )}
      {found.isBusy && <Waiting what="the person’s conversations" />}
      <TroubleBox trouble={found.trouble} again={find} />
      {person !== undefined &&
        (isUnknown(person) || person.parts.length === 0 ? (
          <Empty title={nobodyWords(asked.kind)}>{nobodyAdvice(asked.kind, asked.value)}</Empty>
        ) : (
          <ul class="chosen">
            {person.parts.map((part) => (
              <PartRow key={part.ids.join()} account={account} asked={asked} part={part} />
            ))}
          </ul>
        ))}
      {mayFind && <p class="muted">The audit log records that you looked.</p>}
    </Card>
  )
}
