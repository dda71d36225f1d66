import { useState } from 'preact/hooks'
import type { NamesAnswer, StatisticsAnswer } from '../answers.ts'
import { accountPath, base, get, post, type Result } from './api.ts'
import { Chart, type Line } from './chart.ts'
import { FailedReplies } from './failed-replies.ts'
import { daysBetween, type Total, textAt, totalsOf, valueText } from './figures.ts'
import { count, dayOfTime, dayPlus, dayText, shortDayText } from './format.ts'
import { useAction, useLoad } from './hooks.ts'
import { html } from './html.ts'
import { go } from './navigation.ts'
import { Card, Empty, Field, Select, TroubleBox, valueOfField, Waiting } from './parts.ts'
import { Presets } from './presets.ts'
import { type PageProps, pathOf, queryOfSet } from './route.ts'
import { failedPart, hasFailedPart, noteOf, type Sort, shownPart, sortedBy, valueIn, valuesOf } from './statistics.ts'
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
/** The figures of the team that fit beside each other on a small screen. */
const ofTeam: ReadonlySet<string> = new Set([
  'sessions.agent.started',
  'figures.firstResponseAgent',
  'figures.handleTime',
  'figures.csat',
])
const maxLines = 5
/** How many names one request returns. */
const maxNames = 100

const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1_000
const dayAt = (time: number) => new Date(time * 1_000).toISOString().slice(0, 10)

type ResultsProps = {
  readonly answer: StatisticsAnswer
  /** The days before, as many, for the dashed line. */
  readonly before: StatisticsAnswer | undefined
  /** The same days of all agents together. A session counts for each of its agents, so their rows cannot be added. */
  readonly team: StatisticsAnswer | undefined
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
}: Omit<ResultsProps, 'team' | 'names' | 'part' | 'figure'> & Shown) => {
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
      : totals.slice(0, maxLines).map(({ id, rows }) => ({ name: nameOf(id), values: lineOf(rows, days) }))
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
      ${totals.length > maxLines && answer.by !== 'day' && html`<p class="muted">The first ${maxLines} of ${count(totals.length)} are drawn.</p>`}
    <//>
  `
}

/** All figures as a table, whose columns sort it. */
const FigureTable = ({
  answer,
  team,
  totals,
  figures,
  shown,
  nameOf,
  today,
  sort,
  sortBy,
}: Pick<ResultsProps, 'answer' | 'team'> &
  Shown & { readonly sort: Sort | undefined; readonly sortBy: (name: string) => void }) => {
  const first = groupings.find(([value]) => value === answer.by)?.[1] ?? ''
  const widthOf = (name: string) => (answer.by === 'agent' && !ofTeam.has(name) ? 'extra' : '')
  const heading = (name: string, text: string) => html`
    <th
      scope="col"
      key=${name}
      class=${name === '' ? '' : `number ${widthOf(name)}`}
      aria-sort=${sort?.name === name ? (sort.isUp ? 'ascending' : 'descending') : 'none'}
    >
      <button type="button" class="sort" onClick=${() => sortBy(name)}>${text}${sort?.name === name && html`<span aria-hidden="true">${sort.isUp ? ' ↑' : ' ↓'}</span>`}</button>
    </th>
  `
  const shape = { day: 'by-day', agent: 'team' }[answer.by as string] ?? ''
  const caption = `Figures from ${answer.from} to ${answer.to}`
  return html`
    <${Card} title=${answer.by === 'agent' ? 'Team' : 'Figures'} id="figures">
      <div class=${`scroll as-cards figures ${shape}`} role="region" aria-label=${caption} tabindex="0">
          <table>
            <caption class="unseen">${caption}</caption>
            <thead><tr>${heading('', first)}${figures.map(({ name }) => heading(name, figureName(name)))}</tr></thead>
            <tbody>
              ${totals.map(
                ({ id, rows }) => html`<tr key=${id}>
                  <th scope="row" class=${answer.by === 'day' ? 'day' : ''}>
                    ${answer.by === 'day' ? html`${dayText(id)}${noteOf(id, today) !== '' && html`<span class="sub">${noteOf(id, today)}</span>`}` : html`<bdi>${nameOf(id)}</bdi>${nameOf(id) !== id && html`<span class="sub">${id}</span>`}`}
                  </th>
                  ${figures.map(
                    (each) =>
                      html`<td class=${`number ${each === shown ? 'chosen' : ''} ${widthOf(each.name)}`} key=${each.name} data-label=${figureName(each.name)}>${valueText(valueIn(rows, each, today), each.unit)}</td>`,
                  )}
                </tr>`,
              )}
              ${
                team !== undefined &&
                totals.length > 1 &&
                html`<tr key="together" class="together">
                  <th scope="row">All agents together</th>
                  ${figures.map(
                    (each) =>
                      html`<td class=${`number ${widthOf(each.name)}`} key=${each.name} data-label=${figureName(each.name)}>${valueText(valueIn(team.rows, each, today), each.unit)}</td>`,
                  )}
                </tr>`
              }
            </tbody>
          </table>
      </div>
      ${answer.by === 'agent' && html`<p class="muted narrow-only">A wider screen and the CSV file show more figures.</p>`}
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

const Results = ({ answer, before, team, names, part, figure, choose }: ResultsProps) => {
  const [sort, setSort] = useState<Sort>()
  const sortBy = (name: string) => setSort((last) => ({ name, isUp: last?.name === name ? !last.isUp : name === '' }))
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
  const of = { answer, totals: sortedBy(totals, sort, figures, nameOf, today), figures, shown, nameOf, today }
  return html`
    <div class="stack">
      <${FigureChart} ...${of} before=${before} choose=${choose} />
      <${FigureTable} ...${of} team=${team} sort=${sort} sortBy=${sortBy} />
    </div>
  `
}

const partsOf = (by: string, id: string): ReadonlyArray<string> => [
  ...Object.keys(parts[by] ?? {}),
  ...(hasFailedPart(by, id) ? [failedPart] : []),
]

type PartButtonsProps = { readonly by: string; readonly id: string } & Pick<ResultsProps, 'part' | 'choose'>

const PartButtons = ({ by, id, part, choose }: PartButtonsProps) => {
  if (!hasFailedPart(by, id)) return null
  return html`<div class="row" role="group" aria-label="Figures">
    ${partsOf(by, id).map((name) => html`<button key=${name} type="button" aria-pressed=${name === part} onClick=${() => choose({ part: name, figure: '' })}>${figuresPartWords(name)}</button>`)}
    ${by === 'day' && html`<button type="button" class="link" onClick=${() => choose({ by: 'agent', id: '', part: '', figure: '' })}>Each agent of the team</button>`}
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
  const { value, trouble, again } = useLoad(filter, (signal) => get<StatisticsAnswer>(`${path}?${filter}`, signal))
  const length = daysBetween(days.from, days.to).length
  const previous = new URLSearchParams({
    from: dayPlus(days.from, -length),
    to: dayPlus(days.from, -1),
    by: 'day',
  }).toString()
  const isCompared = by === 'day' && length > 1
  const isTeam = by === 'agent' && id === ''
  const beside = isCompared ? previous : isTeam ? new URLSearchParams({ ...days, by: 'day' }).toString() : ''
  const other = useLoad(
    beside,
    async (signal): Promise<Result<StatisticsAnswer | undefined>> =>
      beside === '' ? { ok: true, value: undefined } : get<StatisticsAnswer>(`${path}?${beside}`, signal),
  )
  const besides = other.of === beside ? other.value : undefined
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
  return html`
    <${TroubleBox} trouble=${trouble} again=${again} />
    ${value === undefined && trouble === undefined && html`<${Waiting} what="statistics" />`}
    ${
      unknown.length > 0 &&
      html`<div class="row">
        <button type="button" onClick=${showNames} disabled=${naming.isBusy}>Show names</button>
        <span class="muted">The audit log records that you looked.</span>
      </div>`
    }
    <${TroubleBox} trouble=${naming.trouble} again=${showNames} />
    ${value !== undefined && html`<${Results} answer=${value} before=${isCompared ? besides : undefined} team=${isTeam && value.by === 'agent' ? besides : undefined} names=${names} part=${shownPart(Object.keys(parts[value.by] ?? {}), part)} figure=${figure} choose=${choose} />`}
  `
}

/** Figures by day, agent, widget or bot, and why replies failed. */
export const StatisticsPage = ({ account, roles, query }: PageProps) => {
  const text = (name: string) => query.get(name) ?? ''
  const by = text('by') || 'day'
  const id = text('id')
  const part = shownPart(partsOf(by, id), text('part'))
  const isFailed = part === failedPart
  const today = dayOfTime(Date.now())
  const days = { from: text('from') || dayPlus(today, -29), to: text('to') || today }
  const filter = new URLSearchParams({ ...days, by, ...(by !== 'day' && id !== '' && { id }) }).toString()
  const change = (next: Readonly<Record<string, string>>) => {
    const all = { ...days, by, id, part: text('part'), figure: text('figure'), ...next }
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
