import { useEffect, useMemo, useState } from 'preact/hooks'
import { accountPath, base, get } from '../../browser/api.ts'
import { Chart } from '../../browser/chart.tsx'
import {
  allWaits,
  isAllResolved,
  isBehind,
  staleSince,
  unresolvedIn,
  waitText,
  wrongParts,
} from '../../browser/current-state.ts'
import { figureOf, type Measured, valueOfRows, valueText } from '../../browser/figures.ts'
import { count, dayText, minuteText, tickingDuration } from '../../browser/format.ts'
import { type Loaded, useLoad, useNow } from '../../browser/hooks.ts'
import { AsOf, Badge, Card, Copy, Table, Time, TroubleBox, Waiting } from '../../browser/parts.tsx'
import { type PageProps, pathOf } from '../../browser/route.ts'
import { stateTones } from '../../browser/system-cards.tsx'
import { figureName, partStateWords, partTitle } from '../../browser/words.ts'
import type { StripAnswer } from '../../head.ts'
import type { SystemAnswer } from '../system/page.ts'
import { lastHourWords } from './last-hour.ts'
import { type Minute, minutesWords, stepsOf, sumOf } from './minutes.ts'
import type { MinutesAnswer, NowAnswer } from './page.ts'
import { comparedText, countBefore, isUnusual, unusualWords } from './unusual.ts'

const pollMs = 5_000
const minutesPollMs = 60_000
const minuteMs = 60_000

type Shown = { readonly account: string; readonly staleSince: number | undefined }
type WaitingProps = Shown & { readonly now: NowAnswer; readonly isAll: boolean }
type Waits = NowAnswer['waiting']

type WaitListProps = {
  readonly account: string
  readonly waits: Waits
  readonly label: string
  readonly isAll: boolean
  /** How long ago a time was. */
  readonly ago: (since: string) => string
}

/** Clients who wait, the longest wait first: five of them, or all. */
const WaitList = ({ account, waits: { count: waiting, longest }, label, isAll, ago }: WaitListProps) => (
  <>
    {waiting > 0 && (
      <ol class="plain-list" aria-label={label}>
        {longest.map(({ chatId, since, agentCalled }) => (
          <li key={chatId}>
            <span>
              <a data-item href={`${base}${pathOf(account, 'conversations', '', chatId)}`}>
                Chat <bdi>{chatId}</bdi>
              </a>
              {agentCalled && <span class="sub muted">an agent was called</span>}
            </span>
            <span class="number" title={`since ${since}`}>
              {ago(since)}
            </span>
          </li>
        ))}
      </ol>
    )}
    {!isAll && waiting > longest.length && (
      <p>
        <a href={`${base}${pathOf(account, 'now', allWaits)}`}>All {count(waiting)}</a>
      </p>
    )}
    {isAll && waiting > longest.length && <p class="muted">Only the longest {count(longest.length)} are shown.</p>}
  </>
)

/** Who waits for whom, and since when: for an answer, or answered and for an agent. */
const WaitingCard = ({ account, staleSince: since, now, isAll }: WaitingProps) => {
  const clock = useNow()
  // Use the server's clock: the browser's may be wrong.
  const ahead = useMemo(() => Date.now() - Date.parse(now.asOf), [now.asOf])
  const ago = (since: string) => tickingDuration(clock - ahead - Date.parse(since))
  const { waiting, waitingForAgent } = now
  const listed = { account, isAll, ago }
  return (
    <Card title="Does anybody wait?" id="waiting" staleSince={since}>
      <p class="big-line">
        <span class={`big ${waiting.count > 0 ? 'warn-text' : ''}`}>{count(waiting.count)}</span>
        {waiting.count === 1 ? 'client waits' : 'clients wait'} for an answer
      </p>
      {waiting.count === 0 && <p class="muted">Every client of the last 24 hours has an answer.</p>}
      <WaitList {...listed} waits={waiting} label="The longest waits for an answer" />
      <p class="big-line">
        <span class={`big ${waitingForAgent.count > 0 ? 'warn-text' : ''}`}>{count(waitingForAgent.count)}</span>
        {waitingForAgent.count === 1 ? 'client waits' : 'clients wait'} for an agent
      </p>
      {waitingForAgent.count > 0 && (
        <p class="muted">They have an answer. An agent was asked for, and has not joined since.</p>
      )}
      <WaitList {...listed} waits={waitingForAgent} label="The longest waits for an agent" />
      {isAll && (
        <p>
          <a href={`${base}${pathOf(account, 'now')}`}>Only the longest</a>
        </p>
      )}
      {waiting.count + waitingForAgent.count > 0 && <p class="muted">Waits that began in the last 24 hours</p>}
    </Card>
  )
}

const maxHealthLines = 5

/** Nothing is wrong only if it is also known that no letter and no request waits. */
const AllWorks = ({ account, strip }: { readonly account: string; readonly strip: StripAnswer | undefined }) => {
  const unresolved = unresolvedIn(strip)
  if (unresolved.length > 0)
    return (
      <p>
        Every part works, but
        {unresolved.map(({ page, words }, i) => (
          <>
            {i > 0 ? ' and ' : ' '}
            <a key={page} class="warn-text" href={`${base}${pathOf(account, page)}`}>
              {words}
            </a>
          </>
        ))}
        {` ${unresolved.reduce((sum, { size }) => sum + size, 0) === 1 ? 'waits' : 'wait'} for somebody.`}
      </p>
    )
  if (isAllResolved(strip))
    return (
      <p class="big-line">
        <span class="big good-text">No</span> every part works, and no letter or request waits
      </p>
    )
  return <p>Every part works. How many letters and requests wait is not known.</p>
}

type HealthProps = Shown & { readonly system: SystemAnswer | undefined; readonly strip: StripAnswer | undefined }

const HealthCard = ({ account, staleSince: since, system, strip }: HealthProps) => {
  const wrong = wrongParts(strip, system)
  const waits = waitText([...(wrong ?? []), ...(system?.checks.filter(({ state }) => state === 'waits') ?? [])])
  return (
    <Card title="Is anything wrong?" id="health" staleSince={since}>
      {wrong === undefined ? (
        <Waiting what="the state of the bridge" />
      ) : wrong.length === 0 ? (
        <AllWorks account={account} strip={strip} />
      ) : (
        <>
          <p class="big-line">
            <span class={`big ${wrong.some(({ state }) => state === 'down') ? 'bad-text' : 'warn-text'}`}>
              {count(wrong.length)}
            </span>{' '}
            {wrong.length === 1 ? 'part does' : 'parts do'} not work as usual
          </p>
          <ul class="checks">
            {wrong.slice(0, maxHealthLines).map(({ name, state, words }) => (
              <li key={name}>
                <Badge tone={stateTones[state]}>{partStateWords(state)}</Badge>
                <span>
                  <strong>{partTitle(name)}</strong> <span class="muted">{words}</span>
                </span>
              </li>
            ))}
          </ul>
          {waits !== undefined && <p class="muted">{waits}.</p>}
        </>
      )}
      <p>
        <a href={`${base}${pathOf(account, 'system')}`}>All parts of the bridge</a>
      </p>
    </Card>
  )
}

/** Figures that mean something before the day is over: shares and times, not sums. */
const figures = [
  { name: 'figures.containment', unit: 'share' },
  { name: 'figures.firstResponseBot', unit: 'duration' },
  { name: 'figures.queueTime', unit: 'duration' },
  { name: 'figures.firstResponseAgent', unit: 'duration' },
  { name: 'figures.handleTime', unit: 'duration' },
  { name: 'figures.csat', unit: 'share' },
] as const

type TodayProps = Shown & { readonly now: NowAnswer; readonly minutes: MinutesAnswer | undefined }

const TodayCard = ({ account, staleSince: since, now, minutes }: TodayProps) => {
  const { started, today, lastWeek } = now
  const sessionsOf = (row: Measured | null, definition: (typeof figures)[number]) =>
    figureOf(row, definition)?.denominator ?? 0
  const countOf = (counted: number) => countBefore(counted, minutes?.weekAgo)
  const rows = [
    { name: 'Bot conversations', unit: 'count', now: started.today.bot, before: countOf(started.lastWeek.bot) },
    { name: 'Agent chats', unit: 'count', now: started.today.agent, before: countOf(started.lastWeek.agent) },
    ...figures.map((figure) => ({
      name: figureName(figure.name),
      unit: figure.unit,
      now: valueOfRows([today.stats], figure),
      before: valueOfRows([lastWeek], figure),
      sessions: Math.min(sessionsOf(today.stats, figure), sessionsOf(lastWeek, figure)),
    })),
  ].filter(({ now, before }) => now !== undefined || before !== undefined)
  return (
    <Card
      title="Is today unusual?"
      id="today"
      staleSince={since}
      aside={<span class="muted">compared with {dayText(lastWeek.day)} until the same time</span>}
    >
      <p>
        <strong>{unusualWords(rows)}</strong>
      </p>
      {minutes !== undefined && <p>{lastHourWords(sumOf(minutesOf(minutes, 1)), minutes.weekAgo)}</p>}
      <table class="compact">
        <caption class="unseen">Today compared with the same weekday last week until the same time of day</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">Figure</span>
            </th>
            <th scope="col" class="number">
              Today
            </th>
            <th scope="col" class="number">
              Last week, change
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const { name, unit, now, before } = row
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">
                  <strong>{valueText(now, unit)}</strong>
                </td>
                <td class="number muted">
                  {valueText(before, unit)}
                  <span class={`sub ${isUnusual(row) ? 'warn-text' : ''}`}>{comparedText(row)}</span>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <p class="sub">
        Shares and times are of sessions that were over by this time. A bot session may be over only a day after its
        last event.
      </p>
      <p>
        <a href={`${base}${pathOf(account, 'statistics', 'by=day')}`}>All figures</a>
      </p>
    </Card>
  )
}

/** The spans of the chart, in hours. */
const spans = [1, 6, 24] as const
/** One point of the chart, in minutes: more points than that are a thicket. */
const steps = { 1: 1, 6: 5, 24: 10 } as const
type Span = (typeof spans)[number]
const spanText = (hours: Span) => (hours === 1 ? 'hour' : `${hours} hours`)

/** Every minute of the last hours, oldest first: also those without an event. */
const minutesOf = (answer: MinutesAnswer | undefined, hours: Span): ReadonlyArray<Minute> => {
  const counts = new Map(answer?.minutes.map(({ at, events }) => [Date.parse(at), events]))
  const end = Math.floor(Date.now() / minuteMs) * minuteMs
  const size = hours * 60
  return Array.from({ length: size }, (_, i) => end - (size - 1 - i) * minuteMs).map((at) => ({
    at,
    events: counts.get(at) ?? 0,
  }))
}

/** The numbers of the chart, for those who cannot see it and for other programs. */
const MinutesTable = ({ minutes }: { readonly minutes: ReadonlyArray<Minute> }) => {
  const [isOpen, setIsOpen] = useState(false)
  const rows = minutes.map(({ at, events }) => ({ at: new Date(at).toISOString(), events })).reverse()
  const text = ['minute\tevents', ...rows.map(({ at, events }) => `${at}\t${events}`)].join('\n')
  return (
    <details class="minutes" onToggle={(event: Event) => setIsOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>As a table</summary>
      {isOpen && (
        <>
          <p>
            <Copy text={text} what="the table" />
          </p>
          <Table
            caption="Events in each minute, the newest first"
            head={['Minute', 'Events']}
            numbers={['Events']}
            kind="minutes-table"
          >
            {rows.map(({ at, events }) => (
              <tr key={at}>
                <th scope="row">
                  <Time at={at} />
                </th>
                <td class="number">{count(events)}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </details>
  )
}

const EventsCard = ({ staleSince: since, answered }: Shown & { readonly answered: Loaded<MinutesAnswer> }) => {
  const [hours, setHours] = useState<Span>(24)
  const { value, trouble, again } = answered
  const minutes = useMemo(() => minutesOf(value, hours), [value, hours])
  const drawn = stepsOf(minutes, steps[hours])
  const each = steps[hours] === 1 ? 'a minute' : `in ${steps[hours]} minutes`
  const sum = sumOf(minutes)
  const title = `Events of the last ${spanText(hours)}`
  return (
    <Card
      title={title}
      id="events"
      staleSince={since ?? staleSince(answered)}
      aside={value !== undefined && <span class="muted">{`${count(sum)} in all. ${minutesWords(minutes)}`}</span>}
    >
      <TroubleBox trouble={trouble} again={again} />
      {value === undefined && trouble === undefined && <Waiting what="events" />}
      {value !== undefined && (
        <>
          <Chart
            label={`${title} ${each}, ${count(sum)} in all`}
            times={drawn.map(({ at }) => at / 1_000)}
            lines={[{ name: `events ${each}`, values: drawn.map(({ events }) => events) }]}
            text={count}
            timeText={(seconds) => minuteText(seconds * 1_000)}
            height={130}
          />
          <div class="row">
            <div class="row presets" role="group" aria-label="Span of the chart">
              {spans.map((each) => (
                <button key={each} type="button" aria-pressed={each === hours} onClick={() => setHours(each)}>
                  {each} h
                </button>
              ))}
            </div>
            <MinutesTable minutes={minutes} />
          </div>
        </>
      )}
    </Card>
  )
}

/** The answers to three questions: does anybody wait, is anything wrong, is today unusual? */
export const NowPage = ({ account, query, strip }: PageProps) => {
  const isAll = query.get('waits') === 'all'
  const path = `${accountPath(account, 'now')}${isAll ? `?${allWaits}` : ''}`
  const now = useLoad(path, (signal) => get<NowAnswer>(path, signal), pollMs)
  const system = useLoad('', (signal) => get<SystemAnswer>('system', signal), pollMs)
  const minutes = useLoad(
    account,
    (signal) => get<MinutesAnswer>(accountPath(account, 'minutes'), signal),
    minutesPollMs,
  )
  const { value } = now
  const behind = isBehind(system.value)
  /** When the newest answer came that was not behind. */
  const [currentAt, setCurrentAt] = useState<number>()
  useEffect(() => {
    if (!behind && now.at !== undefined) setCurrentAt(now.at)
  }, [behind, now.at])
  const since = behind ? currentAt : staleSince(now)
  return (
    <>
      <div class="page-head">
        <h1>Now</h1>
        {value && (
          <p class="muted">
            {since === undefined ? (
              <>
                as of <Time at={value.asOf} />, refreshes every {pollMs / 1_000} seconds
              </>
            ) : (
              <AsOf at={since} />
            )}
            {behind && '. Newer events are missing: the bridge does not read them at present.'}
          </p>
        )}
      </div>
      <TroubleBox trouble={now.trouble ?? system.trouble} again={now.trouble ? now.again : system.again} />
      {value === undefined && now.trouble === undefined && <Waiting what="the current state" />}
      <div class="cards now">
        {value && <WaitingCard account={account} now={value} staleSince={since} isAll={isAll} />}
        <HealthCard account={account} system={system.value} strip={strip} staleSince={staleSince(system)} />
        {value && (
          <TodayCard
            account={account}
            now={value}
            minutes={minutes.of === account ? minutes.value : undefined}
            staleSince={since}
          />
        )}
      </div>
      <EventsCard account={account} staleSince={since} answered={minutes} />
    </>
  )
}
