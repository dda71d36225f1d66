import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { accountPath, base, get } from '../../browser/api.ts'
import { count, counted, tickingDuration } from '../../browser/format.ts'
import { useAction, useLoad, useNow } from '../../browser/hooks.ts'
import { cameBack, go } from '../../browser/navigation.ts'
import { Badge, Empty, Table, Time, TroubleBox, Waiting } from '../../browser/parts.tsx'
import { type PageProps, pathOf } from '../../browser/route.ts'
import { sessionState, sortWords } from '../../browser/words.ts'
import { FilterForm } from './filter-form.tsx'
import { type FormAsks, filtersOf, isOnePage, noFilters, queryOf, refreshed, rowKey } from './filters.ts'
import type { ConversationRow, ConversationsAnswer } from './page.ts'
import { mayFindPersons, PersonSearch } from './person-search.tsx'

const pollMs = 10_000

const head = ['Chat', 'With', 'Outcome', 'Client / answers', 'Began', 'Lasted']

const Notes = ({ row, now }: { readonly row: ConversationRow; readonly now: number }) => (
  <>
    {row.waitingSince !== undefined && (
      <>
        <Badge tone="warn">
          {row.isOpen ? `waiting for ${tickingDuration(now - Date.parse(row.waitingSince))}` : 'left without an answer'}
        </Badge>{' '}
      </>
    )}
    {row.waitedMs !== undefined && <span class="sub">after {tickingDuration(row.waitedMs)}</span>}
    {row.repliesFailed > 0 && (
      <>
        <Badge tone="bad">{counted(row.repliesFailed, 'failed reply', 'failed replies')}</Badge>{' '}
      </>
    )}
    {row.differences > 0 && <Badge tone="warn">{counted(row.differences, 'difference')}</Badge>}
  </>
)

/** From the first event to the last one, or until now. */
const Lasted = ({ row, now }: { readonly row: ConversationRow; readonly now: number }) => {
  const ms = (row.isOpen ? now : Date.parse(row.lastEventAt)) - Date.parse(row.startedAt)
  return (
    <>
      <span title={`last event at ${row.lastEventAt}`}>{tickingDuration(ms)}</span>
      {row.isOpen && <span class="sub">so far</span>}
    </>
  )
}

const State = ({ row }: { readonly row: ConversationRow }) => {
  const { words, tone } = sessionState({ ...row, waits: row.waitingSince !== undefined })
  return <span class={`dot ${tone}`}>{words}</span>
}

const Row = ({
  account,
  row,
  now,
}: {
  readonly account: string
  readonly row: ConversationRow
  readonly now: number
}) => {
  // A bot session has no channel if the service does not name it.
  const channel = row.channelType ?? row.channelId
  return (
    <tr>
      <th scope="row">
        <a data-item href={`${base}${pathOf(account, 'conversations', '', row.chatId)}`}>
          <bdi>{row.chatId}</bdi>
        </a>
        {row.clientId !== undefined && (
          <span class="sub">
            client <bdi>{row.clientId}</bdi>
          </span>
        )}
      </th>
      <td data-label="With">
        {row.kind === 'bot' ? 'Bot' : 'Agent'}
        {row.agents.map((id, i) => (
          <>
            {i > 0 ? ', ' : '\u00a0'}
            <bdi key={id}>{id}</bdi>
          </>
        ))}
        {channel !== 'unknown' && <span class="sub">{channel}</span>}
      </td>
      <td data-label="Outcome">
        <State row={row} /> <Notes row={row} now={now} />
      </td>
      <td data-label="Client / answers" class="number">
        {row.kind === 'agent' && row.isOpen ? (
          <span class="muted" title="The service sends the messages when the chat ends">
            –
          </span>
        ) : (
          <>
            <span title="from the client">{count(row.clientMessages)}</span> /{' '}
            <span title="answers">{count(row.replies)}</span>
          </>
        )}
      </td>
      <td data-label="Began">
        <Time at={row.startedAt} />
      </td>
      <td data-label="Lasted">
        <Lasted row={row} now={now} />
      </td>
    </tr>
  )
}

type Shown = {
  readonly filter: string
  readonly rows: ReadonlyArray<ConversationRow>
  readonly next: string
}

/** The email address or the number by which a person was searched, and the filters then: a link to others ends it. */
type Sought = { readonly person: string; readonly filter: string }

/** The list as it was left, with its place, for the way back from a conversation. */
const left: { account: string; shown: Shown | undefined; scroll: number; sought: Sought | undefined } = {
  account: '',
  shown: undefined,
  scroll: 0,
  sought: undefined,
}

/** Sessions of the account. New sessions wait behind a button, so that no row moves during reading. */
export const ConversationsPage = ({ account, roles, query }: PageProps) => {
  const filters = filtersOf(query)
  const filter = queryOf(filters)
  const path = (cursor?: string) => {
    const asked = new URLSearchParams([...new URLSearchParams(filter), ...(cursor ? [['cursor', cursor]] : [])])
    return `${accountPath(account, 'conversations')}${asked.size > 0 ? `?${asked}` : ''}`
  }
  const first = useLoad(filter, (signal) => get<ConversationsAnswer>(path(), signal), pollMs)
  const older = useAction<ConversationsAnswer>()
  const isBack = cameBack() && left.account === account && left.shown?.filter === filter
  const [shown, setShown] = useState(isBack ? left.shown : undefined)
  const [sought, setSought] = useState(isBack ? left.sought : undefined)
  const person = sought?.filter === filter ? sought.person : ''
  const scrolled = useRef(0)
  useLayoutEffect(() => {
    if (isBack) window.scrollTo(0, left.scroll)
    const onScroll = () => {
      scrolled.current = window.scrollY
    }
    window.addEventListener('scroll', onScroll)
    return () => window.removeEventListener('scroll', onScroll)
  }, [])
  const toLeave = useRef({ shown, sought })
  toLeave.current = { shown, sought }
  useEffect(() => () => Object.assign(left, { account, scroll: scrolled.current, ...toLeave.current }), [account])
  const now = useNow()

  const newest = first.of === filter ? first.value : undefined
  const start = () => newest && setShown({ filter, rows: newest.rows, next: newest.next ?? '' })
  useEffect(() => {
    if (newest === undefined) return
    if (shown?.filter === filter) setShown({ ...shown, rows: refreshed(shown.rows, newest.rows).rows })
    else start()
  }, [newest])

  const waiting = shown?.filter === filter && newest ? refreshed(shown.rows, newest.rows).waiting : 0
  const more = () =>
    older.run(async () => {
      const answer = await get<ConversationsAnswer>(path(shown?.next))
      if (answer.ok)
        setShown(
          (before) =>
            before && { ...before, rows: [...before.rows, ...answer.value.rows], next: answer.value.next ?? '' },
        )
      return answer
    })

  const ask = (asks: FormAsks) => {
    setSought({ person: asks.person, filter: asks.query })
    if (asks.person === '' || asks.query !== filter) go(pathOf(account, 'conversations', asks.query))
  }
  const order = `the ${sortWords(filters.sort).toLowerCase()} first`
  return (
    <>
      <div class="page-head">
        <h1>Conversations</h1>
        <p class="muted" role="status">
          {first.value?.count === undefined
            ? `Sessions with bots and agents, ${order}`
            : `${first.value.countIsMin ? 'more than ' : ''}${counted(first.value.count, 'session')}, ${order}`}
        </p>
        <p>
          <a
            class="button"
            download
            href={`${base}api/${accountPath(account, 'conversations.csv')}${filter === '' ? '' : `?${filter}`}`}
          >
            Save as CSV
          </a>
        </p>
      </div>
      <FilterForm
        account={account}
        filters={filters}
        person={person}
        mayFindPersons={mayFindPersons(roles)}
        onChange={ask}
      />
      {person !== '' && (
        <PersonSearch
          key={person}
          account={account}
          roles={roles}
          text={person}
          searchId={() => ask({ query: queryOf({ ...filters, id: person }), person: '' })}
          close={() => setSought(undefined)}
        />
      )}
      <TroubleBox trouble={first.trouble} again={first.again} />
      <p class="new-rows" role="status">
        {person === '' && waiting > 0 && (
          <button type="button" class="primary" onClick={start}>
            {count(waiting)} new
          </button>
        )}
      </p>
      {shown === undefined && first.trouble === undefined && <Waiting what="conversations" />}
      {person === '' && shown?.rows.length === 0 && (
        <Empty title="No conversation found.">
          {filter === queryOf(noFilters) ? (
            <>
              The first one appears when the service sends a webhook. <code>npm run demo</code> plays some.
            </>
          ) : (
            <>
              Remove a filter, or <a href={`${base}${pathOf(account, 'conversations')}`}>show all</a>.
            </>
          )}
        </Empty>
      )}
      {person === '' && shown !== undefined && shown.rows.length > 0 && (
        <>
          <div class={shown.filter === filter ? '' : 'stale'}>
            <Table caption={`Conversations, ${order}`} head={head} numbers={['Client / answers']}>
              {shown.rows.map((row) => (
                <Row key={rowKey(row)} account={account} row={row} now={now} />
              ))}
            </Table>
          </div>
          {isOnePage(filters) && (first.value?.count ?? 0) > shown.rows.length && (
            <p class="muted">
              Only the longest {count(shown.rows.length)} are shown{first.value?.countIsMin && ', of the newest 10,000'}
              . For others, choose days.
            </p>
          )}
          <TroubleBox trouble={older.trouble} again={more} />
          {shown.next !== '' && (
            <p class="row">
              <button type="button" data-item onClick={more} disabled={older.isBusy}>
                {older.isBusy ? 'Loading…' : filters.sort === '' ? 'Older' : 'More'}
              </button>
            </p>
          )}
        </>
      )}
    </>
  )
}
