import { useEffect, useState } from 'preact/hooks'
import type { NamesAnswer, StatisticsAnswer } from '../answers.ts'
import { accountPath, base, get, post, type Result } from './api.ts'
import { ChangeText } from './change-text.ts'
import { Chart, type Line } from './chart.ts'
import { FailedReplies } from './failed-replies.ts'
import { daysBetween, type Total, textAt, totalsOf, valueText } from './figures.ts'
import { count, dayOfTime, dayText, shortDayText } from './format.ts'
import { useAction, useLoad } from './hooks.ts'
import { html } from './html.ts'
import { go } from './navigation.ts'
import { Card, Empty, Field, Select, TroubleBox, valueOfField, Waiting } from './parts.ts'
import { Presets } from './presets.ts'
import { type PageProps, pathOf, queryOfSet } from './route.ts'
import {
  failedPart,
  firstDays,
  firstGrouping,
  firstSort,
  hasFailedPart,
  lastWeeks,
  nextSort,
  noteOf,
  periodBefore,
  runningWeek,
  type Sort,
  shownPart,
  sortedBy,
  valueIn,
  valuesOf,
} from './statistics.ts'
import { ofTeam, TeamWeeks } from './team-weeks.ts'
import { busiestFirst, teamWords } from './team-words.ts'
import { figureName, figuresPartWords } from './words.ts'

type Definition = StatisticsAnswer['definitions'][number]

const groupings = [
  ['day', 'Day'],
  ['agent', 'Agent'],
  ['widget', 'Widget or channel'],
  ['bot', 'Bot'],
] as const

const ofBots = [
  'sessions.bot.started',
  'figures.containment',
  'figures.strictContainment',
  'figures.handOffRate',
  'figures.firstResponseBot',
  'figures.responseTimeBot',
  'figures.botTurns',
  'figures.interventions',
]
const ofAgents = [
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
const parts: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = {
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
const maxLines = 5
/** How many names one request returns. */
const maxNames = 100

const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1_000
const dayAt = (time: number) => new Date(time * 1_000).toISOString().slice(0, 10)

type Team = {
  readonly now: StatisticsAnswer
  readonly before: StatisticsAnswer
  readonly weeks: StatisticsAnswer
  /** The same part of the week before this one. */
  readonly lastWeek: StatisticsAnswer
}

/** The rows of the period before, by id. Undefined if nothing is stored of it: a dash in each cell would say nothing. */
type EarlierOf = ReadonlyMap<string, ReadonlyArray<unknown>> | undefined

type ResultsProps = {
  readonly account: string
  readonly answer: StatisticsAnswer
  /** Of the period before, for the dashed line and for the changes of agents. */
  readonly before: StatisticsAnswer | undefined
  /** All agents together. A session counts for each of its agents, so their rows cannot be added. */
  readonly team: Team | undefined
  /** Of agents, by id. */
  readonly names: Readonly<Record<string, string>>
  readonly part: string
  readonly figure: string
  readonly choose: (part: Readonly<Record<string, string>>) => void
}

type Shown = {
  /** In the chosen order. */
  readonly totals: ReadonlyArray<Total>
  readonly figures: ReadonlyArray<Definition>
  /** The figure of the chart. */
  readonly shown: Definition
  /** Of a row, by its id. */
  readonly nameOf: (id: string) => string
  readonly today: string
}

/** One figure by day, as a chart. */
const FigureChart = ({
  answer,
  before,
  totals,
  figures,
  shown,
  nameOf,
  today,
  choose,
}: Omit<ResultsProps, 'account' | 'team' | 'names' | 'part' | 'figure'> & Shown) => {
  const days = daysBetween(answer.from, answer.to)
  const lineOf = (rows: ReadonlyArray<unknown>, of: ReadonlyArray<string>) => valuesOf(rows, of, shown, today)
  const lines: ReadonlyArray<Line> =
    answer.by === 'day'
      ? [
          { name: figureName(shown.name), values: lineOf(answer.rows, days) },
          ...(before === undefined || before.rows.length === 0
            ? []
            : [
                {
                  name: 'previous period',
                  values: lineOf(before.rows, daysBetween(before.from, before.to)),
                  isDashed: true,
                },
              ]),
        ]
      : busiestFirst(totals)
          .slice(0, maxLines)
          .map(({ id, rows }) => ({ name: nameOf(id), values: lineOf(rows, days) }))
  return html`
    <${Card} title=${figureName(shown.name)} id="chart">
      <p class="definition-text">${shown.definition}</p>
      <${Select} label="Figure" value=${shown.name} onChange=${(name: string) => choose({ figure: name })} options=${figures.map((each) => [each.name, figureName(each.name)])} />
      ${
        lines.every(({ values }) => values.every((value) => value === null))
          ? html`<p class="muted">A day is drawn once it is over.</p>`
          : html`<${Chart}
        label=${`${figureName(shown.name)} by day from ${answer.from} to ${answer.to}; the table below has the numbers`}
        times=${days.map(seconds)}
        lines=${lines}
        text=${(value: number) => valueText(value, shown.unit)}
        timeText=${(time: number) => dayText(dayAt(time))}
        shortText=${(time: number) => shortDayText(dayAt(time))}
        isDaily=${true}
        isDuration=${shown.unit === 'duration'}
      />`
      }
      ${totals.length > maxLines && answer.by !== 'day' && html`<p class="muted">The busiest ${maxLines} of ${count(totals.length)} are drawn.</p>`}
    <//>
  `
}

type CellProps = {
  readonly rows: ReadonlyArray<unknown>
  /** The rows of the period before, if there is a comparison. */
  readonly before: ReadonlyArray<unknown> | undefined
  readonly figure: Definition
  readonly today: string
  readonly kind: string
}

/** A figure, and below it the change since the period before. */
const Cell = ({ rows, before, figure, today, kind }: CellProps) => {
  const [now, then] = [valueIn(rows, figure, today), before && valueIn(before, figure, today)]
  const { unit } = figure
  return html`<td class=${`number ${kind}`} data-label=${figureName(figure.name)}>
    ${valueText(now, unit)}
    ${
      before !== undefined &&
      html`<span class="sub change">
        <${ChangeText} name=${figure.name} unit=${unit} now=${now} before=${then} />
        <span class="was">was ${valueText(then, unit)}</span>
      </span>`
    }
  </td>`
}

/** With what the figures of agents are compared, in words. */
const comparedWords = (before: StatisticsAnswer, isUntilNow: boolean): string => {
  const { from, to } = before
  const days = from === to ? dayText(from) : `${dayText(from)} – ${dayText(to)}`
  if (before.rows.length === 0) return `nothing to compare with: no statistics of ${days}`
  return `compared with ${days}${isUntilNow ? ' until the same time of day' : ''}`
}

/** All figures as a table, whose columns sort it. */
const FigureTable = ({
  answer,
  before,
  team,
  totals,
  figures,
  shown,
  nameOf,
  today,
  sort,
  sortBy,
  account,
  earlierOf,
}: Pick<ResultsProps, 'answer' | 'before' | 'team' | 'account'> &
  Shown & {
    readonly sort: Sort | undefined
    readonly sortBy: (name: string, ofChange?: boolean) => void
    readonly earlierOf: EarlierOf
  }) => {
  const isOfAgents = answer.by === 'agent'
  const first = groupings.find(([value]) => value === answer.by)?.[1] ?? ''
  const widthOf = (name: string) => (isOfAgents && !ofTeam.includes(name) ? 'extra' : '')
  const arrow = (name: string, ofChange: boolean) =>
    sort?.name === name &&
    (sort.ofChange ?? false) === ofChange &&
    html`<span aria-hidden="true">${sort.isUp ? ' ↑' : ' ↓'}</span>`
  const heading = (name: string, text: string) => html`
    <th
      scope="col"
      key=${name}
      class=${name === '' ? '' : `number ${widthOf(name)}`}
      aria-sort=${sort?.name === name ? (sort.isUp ? 'ascending' : 'descending') : 'none'}
    >
      <button type="button" class="sort" onClick=${() => sortBy(name)}>${text}${arrow(name, false)}</button>
      ${name !== '' && earlierOf !== undefined && html`<button type="button" class="sort sub" onClick=${() => sortBy(name, true)}><span class="unseen">${text}: </span>change${arrow(name, true)}</button>`}
    </th>
  `
  const shape = { day: 'by-day', agent: 'team' }[answer.by as string] ?? ''
  const caption = `Figures from ${answer.from} to ${answer.to}`
  const compared = isOfAgents && before && comparedWords(team?.before ?? before, answer.to === today)
  return html`
    <${Card} title=${isOfAgents ? 'Team' : 'Figures'} id="figures" aside=${compared && html`<span class="muted">${compared}</span>`}>
      ${isOfAgents && html`<p>${teamWords(totals, earlierOf, nameOf)}</p>`}
      <div class=${`scroll as-cards figures ${shape}`} role="region" aria-label=${caption} tabindex="0">
          <table>
            <caption class="unseen">${caption}</caption>
            <thead><tr>${heading('', first)}${figures.map(({ name }) => heading(name, figureName(name)))}</tr></thead>
            <tbody>
              ${
                team !== undefined &&
                html`<tr key="together" class="together">
                  <th scope="row">The whole team</th>
                  ${figures.map((each) => html`<${Cell} key=${each.name} rows=${team.now.rows} before=${earlierOf && team.before.rows} figure=${each} today=${today} kind=${widthOf(each.name)} />`)}
                </tr>`
              }
              ${totals.map(
                ({ id, rows }) => html`<tr key=${id}>
                  <th scope="row" class=${answer.by === 'day' ? 'day' : ''}>
                    ${answer.by === 'day' ? html`${dayText(id)}${noteOf(id, today) !== '' && html`<span class="sub">${noteOf(id, today)}</span>`}` : html`${isOfAgents ? html`<a href=${`${base}${pathOf(account, 'conversations', queryOfSet({ agent: id, from: answer.from, to: answer.to }).toString())}`} title="Conversations of the agent"><bdi>${nameOf(id)}</bdi></a>` : html`<bdi>${nameOf(id)}</bdi>`}${nameOf(id) !== id && html`<span class="sub">${id}</span>`}`}
                  </th>
                  ${figures.map((each) => html`<${Cell} key=${each.name} rows=${rows} before=${earlierOf && (earlierOf.get(id) ?? [])} figure=${each} today=${today} kind=${`${each === shown ? 'chosen' : ''} ${widthOf(each.name)}`} />`)}
                </tr>`,
              )}
            </tbody>
          </table>
      </div>
      ${isOfAgents && html`<p class="muted narrow-only">A wider screen and the CSV file show more figures.</p>`}
      ${answer.by !== 'day' && answer.to >= today && html`<p class="muted">Today is not over: its part counts so far.</p>`}
      <details>
        <summary>What each figure means</summary>
        <dl class="definitions">
          ${figures.map((each) => html`<div key=${each.name}><dt>${figureName(each.name)} <code>${each.name}</code></dt><dd>${each.definition}</dd></div>`)}
        </dl>
      </details>
    <//>
  `
}

const Results = ({ account, answer, before, team, names, part, figure, choose }: ResultsProps) => {
  const [chosen, setSort] = useState<Sort>()
  const sort = chosen ?? firstSort(answer.by)
  const sortBy = (name: string, ofChange?: boolean) => setSort(nextSort(sort, name, ofChange))
  const today = dayOfTime(Date.now())
  const wanted = parts[answer.by]?.[part] ?? []
  const defined = wanted.flatMap((name) => answer.definitions.find((each) => each.name === name) ?? [])
  const totals = totalsOf(answer.rows, answer.by)
  // A column without a value says nothing.
  const figures = defined.filter((each) => valueIn(answer.rows, each, today) !== undefined)
  const shown = figures.find(({ name }) => name === figure) ?? figures[0]
  if (shown === undefined || totals.length === 0)
    return html`<${Empty} title="There are no statistics of these days.">
      Choose other days. Figures of a day are of sessions that began on it and have ended.
    <//>`
  const nameOf = (id: string) => names[id] ?? id
  const hasEarlier = answer.by === 'agent' && before !== undefined && (team?.before ?? before).rows.length > 0
  const earlierOf = hasEarlier ? Map.groupBy(before.rows, (row) => textAt(row, 'id')) : undefined
  const of = {
    answer,
    totals: sortedBy(totals, sort, figures, nameOf, today, earlierOf),
    figures,
    shown,
    nameOf,
    today,
  }
  const chart = html`<${FigureChart} ...${of} before=${before} choose=${choose} />`
  const table = html`<${FigureTable} ...${of} account=${account} before=${before} team=${team} earlierOf=${earlierOf} sort=${sort} sortBy=${sortBy} />`
  // The table of agents answers how the team did, the chart how a figure went.
  return html`<div class="stack">${answer.by === 'agent' ? [table, chart] : [chart, table]}</div>`
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
  return html`<div class="row" role="group" aria-label="Figures">
    ${of === 'day' && html`<button type="button" aria-pressed=${isTeam} onClick=${() => choose({ by: 'agent', id: '', part: '', figure: '' })}>Team</button>`}
    ${partsOf(of, '').map((name) => html`<button key=${name} type="button" aria-pressed=${!isTeam && name === part} onClick=${() => choose({ by: of, id: '', part: name, figure: '' })}>${figuresPartWords(name)}</button>`)}
  </div>`
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
    const weeks = { from: lastWeeks(today).at(-1)?.from ?? today, to: today }
    const lastWeek = runningWeek(today).before
    const [now, before, all, part] = await Promise.all([
      read({ ...days, by: 'day' }, signal),
      read({ ...earlier, by: 'day', ...(until && { until }) }, signal),
      read({ ...weeks, by: 'day' }, signal),
      read({ ...lastWeek, by: 'day' }, signal),
    ])
    if (!now.ok) return now
    if (!before.ok) return before
    if (!all.ok) return all
    if (!part.ok) return part
    return { ok: true, value: { now: now.value, before: before.value, weeks: all.value, lastWeek: part.value } }
  })
  const isWhole = of === filter && other.of === filter && (!isTeam || together.of === filter)
  const ids = by === 'agent' && roles.includes('lead') ? [...new Set(value?.rows.map((row) => textAt(row, 'id')))] : []
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
  return html`
    <${TroubleBox} trouble=${trouble} again=${again} />
    <${TroubleBox} trouble=${other.trouble ?? together.trouble} again=${other.trouble ? other.again : together.again} />
    ${isTeam && together.value !== undefined && html`<${TeamWeeks} answer=${together.value.weeks} before=${together.value.lastWeek} today=${today} chosen=${days} choose=${choose} />`}
    ${value === undefined && trouble === undefined && html`<${Waiting} what="statistics" />`}
    ${
      unknown.length > 0 &&
      html`<div class="row">
        <button type="button" class="primary" onClick=${showNames} disabled=${naming.isBusy}>Show names</button>
        <span class="muted">The audit log records that you looked.</span>
      </div>`
    }
    <${TroubleBox} trouble=${naming.trouble} again=${showNames} />
    ${value !== undefined && html`<${Results} account=${account} answer=${value} before=${isWhole ? other.value : undefined} team=${isWhole ? together.value : undefined} names=${names} part=${shownPart(Object.keys(parts[value.by] ?? {}), part)} figure=${figure} choose=${choose} />`}
  `
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
  const filter = new URLSearchParams({ ...days, by, ...(by !== 'day' && id !== '' && { id }) }).toString()
  const change = (next: Readonly<Record<string, string>>) => {
    const all = { from: text('from'), to: text('to'), by, id, part: text('part'), figure: text('figure'), ...next }
    go(pathOf(account, 'statistics', queryOfSet(all).toString()))
  }
  const day = (name: 'from' | 'to', label: string) => html`
    <${Field} label=${label}>
      <input type="date" required value=${days[name]} onChange=${(event: Event) => valueOfField(event) !== '' && change({ [name]: valueOfField(event) })} />
    <//>
  `
  return html`
    <div class="page-head">
      <h1>Statistics</h1>
      ${!isFailed && html`<p><a class="button" download href=${`${base}api/${accountPath(account, 'statistics')}.csv?${filter}`}>Save as CSV</a></p>`}
    </div>
    <form class="filters" aria-label="Statistics" onSubmit=${(event: Event) => event.preventDefault()}>
      ${day('from', 'From')} ${day('to', 'To')}
      <${Presets} chosen=${days} choose=${change} />
      <${Select} label="By" value=${by} options=${groupings} onChange=${(next: string) => change({ by: next, id: '', part: '', figure: '' })} />
      ${
        by !== 'day' &&
        !isFailed &&
        html`<${Field} label="Only this id">
          <input data-search value=${id} size="8" onChange=${(event: Event) => change({ id: valueOfField(event).trim() })} />
        <//>`
      }
    </form>
    <${PartButtons} by=${by} id=${id} part=${part} choose=${change} />
    ${
      isFailed
        ? html`<${FailedReplies} account=${account} days=${days} />`
        : html`<${Figures} account=${account} roles=${roles} days=${days} by=${by} id=${id} filter=${filter} part=${part} figure=${text('figure')} choose=${change} />`
    }
  `
}
