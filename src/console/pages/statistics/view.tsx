import { useEffect, useState } from 'preact/hooks'
import { accountPath, base, get, post, type Result } from '../../browser/api.ts'
import { type Row, totalsOf } from '../../browser/figures.ts'
import { dayOfTime, daysText } from '../../browser/format.ts'
import { useAction, useLoad } from '../../browser/hooks.ts'
import { go } from '../../browser/navigation.ts'
import { Empty, Field, Folded, Select, TroubleBox, valueOfField, Waiting } from '../../browser/parts.tsx'
import { Presets } from '../../browser/presets.tsx'
import { type PageProps, pathOf, queryOfSet } from '../../browser/route.ts'
import { figuresPartWords } from '../../browser/words.ts'
import type { FigureName } from './definitions.ts'
import { FailedReplies } from './failed-replies-card.tsx'
import { FigureChart } from './figure-chart.tsx'
import { FigureTable, type Team } from './figure-table.tsx'
import type { NamesAnswer, StatisticsAnswer } from './page.ts'
import {
  failedPart,
  firstDays,
  firstGrouping,
  firstSort,
  groupings,
  hasFailedPart,
  nextSort,
  periodBefore,
  type Sort,
  shownPart,
  sortedBy,
  valueIn,
} from './statistics.ts'
import { TeamWeeks } from './team-weeks.tsx'

const ofBots: ReadonlyArray<FigureName> = [
  'sessions.bot.started',
  'figures.containment',
  'figures.strictContainment',
  'figures.handOffRate',
  'figures.firstResponseBot',
  'figures.responseTimeBot',
  'figures.botTurns',
  'figures.interventions',
]
const ofAgents: ReadonlyArray<FigureName> = [
  'sessions.agent.started',
  'figures.queueTime',
  'figures.waitTime',
  'figures.firstResponseAgent',
  'figures.handleTime',
  'figures.serviceLevel',
  'figures.abandonment',
  'figures.csat',
  'figures.reopenRate',
]

/** The figures that mean something for each grouping, in parts that fit beside each other. */
const parts: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<FigureName>>>>> = {
  day: {
    Bot: ofBots,
    Agents: ofAgents,
    Volume: [
      'conversations.started',
      'chats.accepted',
      'chats.finished',
      'calls.total',
      'offlineMessages',
      'replies.delivered',
      'replies.failed',
    ],
  },
  agent: {
    Agents: [
      'sessions.agent.started',
      'figures.firstResponseAgent',
      'figures.responseTimeAgent',
      'figures.handleTime',
      'figures.csat',
      'figures.csatResponseRate',
      'figures.concurrency',
    ],
  },
  widget: {
    Widgets: [
      'sessions.bot.started',
      'figures.containment',
      'sessions.agent.started',
      'figures.firstResponseAgent',
      'figures.handleTime',
      'figures.csat',
    ],
  },
  bot: { Bot: ofBots },
}
/** How many names one request returns. */
const maxNames = 100

type ResultsProps = {
  readonly account: string
  readonly answer: StatisticsAnswer
  /** Of the period before, for the dashed line and for the changes of agents. */
  readonly before: StatisticsAnswer | undefined
  readonly team: Team | undefined
  /** Of agents, by id. */
  readonly names: Readonly<Record<string, string>>
  readonly part: string
  readonly figure: string
  readonly choose: (part: Readonly<Record<string, string>>) => void
}

const Results = ({ account, answer, before, team, names, part, figure, choose }: ResultsProps) => {
  const [chosen, setSort] = useState<Sort>()
  const sort = chosen ?? firstSort(answer.by)
  const sortBy = (name: FigureName | '', ofChange?: boolean) => setSort(nextSort(sort, name, ofChange))
  const today = dayOfTime(Date.now())
  const wanted = parts[answer.by]?.[part] ?? []
  const defined = wanted.flatMap((name) => answer.definitions.find((each) => each.name === name) ?? [])
  const totals = totalsOf(answer.rows, answer.by)
  // A column without a value says nothing.
  const figures = defined.filter((each) => valueIn(answer.rows, each, today) !== undefined)
  const shown = figures.find(({ name }) => name === figure) ?? figures[0]
  if (shown === undefined || totals.length === 0)
    return (
      <Empty title="There are no statistics of these days.">
        Choose other days. Figures of a day are of sessions that began on it and have ended.
      </Empty>
    )
  const nameOf = (id: string) => names[id] ?? id
  const hasEarlier = answer.by === 'agent' && before !== undefined && (team?.before ?? before).rows.length > 0
  const earlierOf = hasEarlier ? Map.groupBy<string, Row>(before.rows, ({ id = '' }) => id) : undefined
  const of = {
    answer,
    totals: sortedBy(totals, sort, figures, nameOf, today, earlierOf),
    figures,
    shown,
    nameOf,
    today,
  }
  const chart = <FigureChart {...of} before={before} choose={choose} />
  const table = (
    <FigureTable
      {...of}
      account={account}
      before={before}
      team={team}
      earlierOf={earlierOf}
      sort={sort}
      sortBy={sortBy}
    />
  )
  // The table of agents answers how the team did, the chart how a figure went.
  return <div class="stack">{answer.by === 'agent' ? [table, chart] : [chart, table]}</div>
}

const partsOf = (by: string, id: string): ReadonlyArray<string> => [
  ...Object.keys(parts[by] ?? {}),
  ...(hasFailedPart(by, id) ? [failedPart] : []),
]

type PartButtonsProps = { readonly by: string; readonly id: string } & Pick<ResultsProps, 'part' | 'choose'>

/** The team, and the parts of the account's figures by day or of the bots. */
const PartButtons = ({ by, id, part, choose }: PartButtonsProps) => {
  const isTeam = by === 'agent' && id === ''
  if (!isTeam && !hasFailedPart(by, id)) return null
  const of = isTeam ? 'day' : by
  return (
    <div class="row" role="group" aria-label="Figures">
      {of === 'day' && (
        <button
          type="button"
          aria-pressed={isTeam}
          onClick={() => choose({ by: 'agent', id: '', part: '', figure: '' })}
        >
          Team
        </button>
      )}
      {partsOf(of, '').map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={!isTeam && name === part}
          onClick={() => choose({ by: of, id: '', part: name, figure: '' })}
        >
          {figuresPartWords(name)}
        </button>
      ))}
    </div>
  )
}

type FiguresProps = {
  readonly days: { readonly from: string; readonly to: string }
  readonly by: string
  readonly id: string
  /** The query of the days, the grouping and the id. */
  readonly filter: string
} & Pick<PageProps, 'account' | 'roles'> &
  Pick<ResultsProps, 'part' | 'figure' | 'choose'>

/** Charts and tables of daily_stats and daily_stats_by. */
const Figures = ({ account, roles, days, by, id, filter, part, figure, choose }: FiguresProps) => {
  const path = accountPath(account, 'statistics')
  const { value, of, trouble, again } = useLoad(filter, (signal) => get<StatisticsAnswer>(`${path}?${filter}`, signal))
  const today = dayOfTime(Date.now())
  const isTeam = by === 'agent' && id === ''
  const read = (query: Readonly<Record<string, string>>, signal: AbortSignal) =>
    get<StatisticsAnswer>(`${path}?${new URLSearchParams(query)}`, signal)
  const { until, ...earlier } = periodBefore(days, today)
  // The last day of a chart by day is not drawn until it is over.
  const isCompared = by === 'agent' || (by === 'day' && days.from !== days.to)
  const other = useLoad(filter, async (signal): Promise<Result<StatisticsAnswer | undefined>> => {
    if (!isCompared) return { ok: true, value: undefined }
    return read(
      { ...earlier, by, ...(by === 'agent' && { ...(id !== '' && { id }), ...(until && { until }) }) },
      signal,
    )
  })
  const together = useLoad(isTeam ? filter : '', async (signal): Promise<Result<Team | undefined>> => {
    if (!isTeam) return { ok: true, value: undefined }
    const [now, before] = await Promise.all([
      read({ ...days, by: 'day' }, signal),
      read({ ...earlier, by: 'day', ...(until && { until }) }, signal),
    ])
    if (!now.ok) return now
    if (!before.ok) return before
    return { ok: true, value: { now: now.value, before: before.value } }
  })
  const isWhole = of === filter && other.of === filter && (!isTeam || together.of === filter)
  const ids = by === 'agent' && roles.includes('lead') ? [...new Set(value?.rows.map(({ id = '' }: Row) => id))] : []
  const naming = useAction<Readonly<Record<string, string>>>()
  const names = naming.value ?? {}
  // The audit log records each request, so names are asked for only on request, and only those that are not shown yet.
  const unknown = ids.filter((each) => each !== '' && names[each] === undefined).slice(0, maxNames)
  const showNames = () =>
    naming.run(async () => {
      const answer = await post<NamesAnswer>(`${path}/names`, { ids: unknown })
      if (!answer.ok) return answer
      // An agent without a stored name is not asked for again.
      const withoutName = Object.fromEntries(unknown.map((each) => [each, each]))
      return { ok: true, value: { ...names, ...withoutName, ...answer.value.names } }
    })
  // Whoever asked for names wants those of other days too. The audit log records that as well.
  const wanted = naming.value === undefined ? '' : unknown.join()
  useEffect(() => {
    if (wanted !== '') void showNames()
  }, [wanted])
  return (
    <>
      <TroubleBox trouble={trouble} again={again} />
      <TroubleBox trouble={other.trouble ?? together.trouble} again={other.trouble ? other.again : together.again} />
      {isTeam && <TeamWeeks account={account} today={today} chosen={days} choose={choose} />}
      {value === undefined && trouble === undefined && <Waiting what="statistics" />}
      {unknown.length > 0 && (
        <div class="row">
          <button type="button" class="primary" onClick={showNames} disabled={naming.isBusy}>
            Show names
          </button>
          <span class="muted">The audit log records that you looked.</span>
        </div>
      )}
      <TroubleBox trouble={naming.trouble} again={showNames} />
      {value !== undefined && (
        <Results
          account={account}
          answer={value}
          before={isWhole ? other.value : undefined}
          team={isWhole ? together.value : undefined}
          names={names}
          part={shownPart(Object.keys(parts[value.by] ?? {}), part)}
          figure={figure}
          choose={choose}
        />
      )}
    </>
  )
}

/** Figures by day, agent, widget or bot, and why replies failed. */
export const StatisticsPage = ({ account, roles, query }: PageProps) => {
  const text = (name: string) => query.get(name) ?? ''
  const by = text('by') || firstGrouping(roles, text('part'))
  const id = text('id')
  const part = shownPart(partsOf(by, id), text('part'))
  const isFailed = part === failedPart
  const today = dayOfTime(Date.now())
  const usual = firstDays(by, today)
  const days = { from: text('from') || usual.from, to: text('to') || usual.to }
  const only = by === 'day' ? '' : id
  const filter = new URLSearchParams({ ...days, by, ...(only !== '' && { id: only }) }).toString()
  const grouping = groupings.find(([each]) => each === by)?.[1].toLowerCase() ?? by
  const change = (next: Readonly<Record<string, string>>) => {
    const all = { from: text('from'), to: text('to'), by, id, part: text('part'), figure: text('figure'), ...next }
    go(pathOf(account, 'statistics', queryOfSet(all).toString()))
  }
  const day = (name: 'from' | 'to', label: string) => (
    <Field label={label}>
      <input
        type="date"
        required
        value={days[name]}
        onChange={(event: Event) => valueOfField(event) !== '' && change({ [name]: valueOfField(event) })}
      />
    </Field>
  )
  return (
    <>
      <div class="page-head">
        <h1>Statistics</h1>
        {!isFailed && (
          <p>
            <a class="button" download href={`${base}api/${accountPath(account, 'statistics')}.csv?${filter}`}>
              Save as CSV
            </a>
          </p>
        )}
      </div>
      <PartButtons by={by} id={id} part={part} choose={change} />
      <form class="filters" aria-label="Statistics" onSubmit={(event: Event) => event.preventDefault()}>
        <Folded
          says={
            <>
              {daysText(days)}
              {!isFailed && (
                <>
                  , by {grouping} <bdi>{only}</bdi>
                </>
              )}
            </>
          }
        >
          {day('from', 'From')} {day('to', 'To')}
          <Presets chosen={days} choose={change} />
          <Select
            label="By"
            value={by}
            options={groupings}
            onChange={(next) => change({ by: next, id: '', part: '', figure: '' })}
          />
          {by !== 'day' && !isFailed && (
            <Field label="Only this id">
              <input
                data-search
                value={id}
                size={8}
                onChange={(event: Event) => change({ id: valueOfField(event).trim() })}
              />
            </Field>
          )}
        </Folded>
      </form>
      {isFailed ? (
        <FailedReplies account={account} days={days} />
      ) : (
        <Figures
          account={account}
          roles={roles}
          days={days}
          by={by}
          id={id}
          filter={filter}
          part={part}
          figure={text('figure')}
          choose={change}
        />
      )}
    </>
  )
}
