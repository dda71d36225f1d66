import { useEffect, useState } from 'preact/hooks'
import { accountPath, base, get, post } from '../../browser/api.ts'
import { counted, dayText } from '../../browser/format.ts'
import { useAction, useLoad } from '../../browser/hooks.ts'
import { cameFrom, go } from '../../browser/navigation.ts'
import { Badge, Copy, Empty, Time, TroubleBox, Waiting } from '../../browser/parts.tsx'
import { type PageProps, pathOf, wayBack } from '../../browser/route.ts'
import type { StoryEvent } from '../../documents.ts'
import { letterQuery } from '../dead-letters/named-letter.ts'
import { ChatFacts } from './chat-facts.tsx'
import { ChatLetters } from './chat-letters.tsx'
import { EventPanel } from './event-panel.tsx'
import { NewBelow } from './new-below.tsx'
import type { ConversationAnswer } from './story.ts'
import type { Entry } from './story-entry.ts'
import { isOver, storyOf, withEarlier, withTimes } from './story-items.ts'
import { EntryItem, SessionItem } from './story-list.tsx'
import { useLive } from './use-live.ts'

type Props = PageProps & { readonly chat: string }

type Held = {
  readonly masked: boolean
  readonly events: ReadonlyArray<StoryEvent>
  readonly next: string | undefined
}

const liveWords = { off: 'paused', live: 'live', connecting: 'connecting', ended: 'not live' } as const

const isErased = ({ events }: ConversationAnswer): boolean =>
  events.length > 0 && events.every(({ erased, type }) => erased || type === 'ChatErased' || type === 'ClientErased')

/** Shows whether personal data is hidden, with a button to show it if the roles allow that. */
const Masking = ({
  answer,
  path,
  canUnmask,
  again,
}: {
  readonly answer: ConversationAnswer
  readonly path: string
  readonly canUnmask: boolean
  readonly again: () => void
}) => {
  const unmask = useAction<unknown>()
  const ask = () =>
    unmask.run(async () => {
      const result = await post(`${path}/unmask`, {})
      if (result.ok) again()
      return result
    })
  if (isErased(answer))
    return (
      <div class="notice">
        <p>The personal data of this chat was erased.</p>
      </div>
    )
  if (!answer.masked)
    return (
      <div class="notice">
        <p>
          Personal data is shown
          {answer.unmaskedUntil !== undefined && (
            <>
              {' '}
              until <Time at={answer.unmaskedUntil} />
            </>
          )}
          . This is recorded in the audit log.
        </p>
      </div>
    )
  return (
    <div class="notice">
      <p>Personal data is hidden.{!canUnmask && ' The roles lead and privacy can show it.'}</p>
      {canUnmask && (
        <>
          <button type="button" onClick={ask} disabled={unmask.isBusy}>
            Show personal data
          </button>
          <span class="muted">For 15 minutes. The audit log records that you looked.</span>
        </>
      )}
      <TroubleBox trouble={unmask.trouble} again={ask} />
    </div>
  )
}

/** The whole story of a chat, live, with a panel for the details of an event. */
export const ConversationPage = ({ account, roles, chat, query, session }: Props) => {
  const path = accountPath(account, 'conversations', chat)
  const loaded = useLoad(path, (signal) => get<ConversationAnswer>(path, signal))
  const { value, trouble, again, isLoading } = loaded
  const over = value !== undefined && isOver(value, Date.now())
  const live = useLive(`${base}api/${path}/live`, loaded, value !== undefined && !over)
  const earlier = useAction<ConversationAnswer>()
  const [held, setHeld] = useState<Held>()
  const [chosen, setChosen] = useState<StoryEvent>()
  const canUnmask = roles.includes('lead') || roles.includes('privacy')

  // Keep shown events when newer ones push them out of the response. When masking changes, drop the old ones.
  useEffect(() => {
    if (value === undefined) return
    const { masked, events, earlier: next } = value
    setHeld((before) =>
      before?.masked === masked ? { ...before, events: withEarlier(before.events, events) } : { masked, events, next },
    )
  }, [value])
  // Unmasking is limited in time. After it the page requests the masked response.
  useEffect(() => {
    if (value?.unmaskedUntil === undefined) return
    const timer = setTimeout(again, Math.max(1_000, Date.parse(value.unmaskedUntil) - Date.now() + 1_000))
    return () => clearTimeout(timer)
  }, [value?.unmaskedUntil])

  // Shown once, when a page leads back to this entry.
  const reply = query.get('reply') ?? ''
  const isShown = held !== undefined
  useEffect(() => {
    if (isShown && reply !== '') document.getElementById(`entry/${reply}`)?.scrollIntoView({ block: 'center' })
  }, [isShown, reply])
  const letterOf = ({ key, letter }: Entry) =>
    `${base}${pathOf(account, 'dead-letters', letterQuery(chat, letter?.requestedAt ?? '', key))}`
  const leave = ({ key }: Entry) =>
    go(pathOf(account, 'conversations', new URLSearchParams({ reply: key }).toString(), chat), 'replace')
  const head = (
    <>
      <div class="page-head">
        <p class="crumbs">
          <a href={wayBack(`${base}${pathOf(account, 'conversations')}`, cameFrom())}>Conversations</a>
        </p>
        <h1>
          Chat <bdi>{chat}</bdi>
        </h1>
        <p class="row" role="status">
          {value !== undefined &&
            (over ? <Badge>ended</Badge> : <Badge tone={live === 'live' ? 'good' : 'plain'}>{liveWords[live]}</Badge>)}
          {isLoading && value !== undefined && <span class="muted">loading…</span>}
          <Copy text={chat} what="the chat id" />
          <ChatLetters key={chat} account={account} chat={chat} />
        </p>
      </div>
      <TroubleBox trouble={trouble} again={again} />
    </>
  )
  if (value === undefined)
    return (
      <>
        {head}
        {trouble === undefined && <Waiting what="the story" />}
      </>
    )

  const { events, next } = held ?? { events: value.events, next: value.earlier }
  const items = withTimes(storyOf({ ...value, events: [...events] }))
  const askEarlier = () =>
    earlier.run(async () => {
      const answer = await get<ConversationAnswer>(`${path}?before=${encodeURIComponent(next ?? '')}`)
      if (answer.ok && answer.value.masked === held?.masked)
        setHeld({ ...held, events: withEarlier(answer.value.events, held.events), next: answer.value.earlier })
      return answer
    })
  return (
    <>
      {head}
      <div class={chosen === undefined ? 'beside' : 'beside open'}>
        <div class="story-column">
          <ChatFacts answer={value} isOver={over} />
          <Masking answer={value} path={path} canUnmask={canUnmask} again={again} />
          {next !== undefined && (
            <p class="row">
              <button type="button" onClick={askEarlier} disabled={earlier.isBusy}>
                Earlier events
              </button>
            </p>
          )}
          <TroubleBox trouble={earlier.trouble} again={askEarlier} />
          {items.length === 0 && (
            <Empty title="Nothing is stored of this chat.">
              It may have been erased, or the projector has not read it yet.
            </Empty>
          )}
          <ol class="story" aria-label={`The story: ${counted(events.length, 'event')}`}>
            {items.map((item) =>
              'day' in item ? (
                <li key={`day/${item.day}`} class="day-line">
                  <span>{dayText(item.day)}</span>
                </li>
              ) : 'gap' in item ? (
                <li key={`gap/${item.key}`} class="gap">
                  {item.gap}
                </li>
              ) : 'session' in item ? (
                <SessionItem key={item.session.key} head={item.session} />
              ) : (
                <EntryItem
                  key={item.entry.key}
                  entry={item.entry}
                  masked={value.masked}
                  letterOf={letterOf}
                  leave={leave}
                  isChosen={chosen !== undefined && item.entry.event?.id === chosen.id}
                  choose={setChosen}
                />
              ),
            )}
          </ol>
          <NewBelow count={events.length} />
        </div>
        {chosen !== undefined && (
          <EventPanel
            key={chosen.id}
            event={events.find(({ id }) => id === chosen.id) ?? chosen}
            account={account}
            canRead={canUnmask}
            traceUrlTemplate={session.traceUrlTemplate}
            close={() => setChosen(undefined)}
          />
        )}
      </div>
    </>
  )
}
