import type { StatisticsAnswer } from '../answers.ts'
import { accountPath, base, get } from './api.ts'
import { Chart, type Line } from './chart.ts'
import { daysBetween, nameInWords, textAt, totalsOf, valueOfRows, valueText } from './figures.ts'
import { count, dayText, shortDayText } from './format.ts'
import { useLoad } from './hooks.ts'
import { html } from './html.ts'
import { go } from './navigation.ts'
import { Card, Empty, Field, Select, Table, TroubleBox, valueOfField, Waiting } from './parts.ts'
import { type PageProps, pathOf } from './route.ts'

type Definition = StatisticsAnswer['definitions'][number]

const groupings = [
  ['day', 'Day'],
  ['agent', 'Agent'],
  ['widget', 'Widget or channel'],
  ['bot', 'Bot'],
] as const
const mostLines = 5

const linesOf = (answer: StatisticsAnswer, shown: Definition, days: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const groups =
    answer.by === 'day' ? [{ id: nameInWords(shown.name), rows: answer.rows }] : totalsOf(answer.rows, answer.by)
  return groups.slice(0, mostLines).map(({ id, rows }) => {
    const byDay = new Map(rows.map((row) => [textAt(row, 'day'), row]))
    return { name: id, values: days.map((day) => valueOfRows([byDay.get(day)], shown) ?? null) }
  })
}

const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1_000
const dayAt = (at: number) => new Date(at * 1_000).toISOString().slice(0, 10)

const Results = ({
  answer,
  figure,
  choose,
}: {
  readonly answer: StatisticsAnswer
  readonly figure: string
  readonly choose: (name: string) => void
}) => {
  // Agents, widgets and bots have figures, and no counts except those of sessions.
  const figures = answer.definitions.filter(
    ({ unit, name }) => answer.by === 'day' || unit !== 'count' || name.startsWith('sessions.'),
  )
  const shown = figures.find(({ name }) => name === figure) ?? figures[0]
  const totals = totalsOf(answer.rows, answer.by)
  const days = daysBetween(answer.from, answer.to)
  if (shown === undefined || totals.length === 0)
    return html`<${Empty} title="There are no statistics of these days.">
      Choose other days. Figures of a day are of sessions that began on it and are over.
    <//>`
  const lines = linesOf(answer, shown, days)
  return html`
    <${Card} title=${nameInWords(shown.name)} id="chart">
      <p class="definition-text">${shown.definition} <code>${shown.name}</code></p>
      <${Select} label="Figure" value=${shown.name} onChange=${choose} options=${figures.map((each) => [each.name, nameInWords(each.name)])} />
      <${Chart}
        label=${`${nameInWords(shown.name)} by day from ${answer.from} to ${answer.to}; the table below has the numbers`}
        times=${days.map(seconds)}
        lines=${lines}
        text=${(value: number) => valueText(value, shown.unit)}
        timeText=${(at: number) => dayText(dayAt(at))}
        shortText=${(at: number) => shortDayText(dayAt(at))}
        isDaily=${true}
      />
      ${totals.length > lines.length && answer.by !== 'day' && html`<p class="muted">The first ${mostLines} of ${count(totals.length)} are drawn.</p>`}
    <//>
    <${Card} title="All figures" id="figures">
      <${Table}
        caption=${`Figures from ${answer.from} to ${answer.to}`}
        head=${[groupings.find(([value]) => value === answer.by)?.[1] ?? '', ...figures.map(({ name }) => nameInWords(name))]}
        numbers=${figures.map(({ name }) => nameInWords(name))}
      >
        ${totals.map(
          (total) => html`<tr key=${total.id}>
            <th scope="row" class=${answer.by === 'day' ? 'day' : ''}>${answer.by === 'day' ? dayText(total.id) : html`<bdi>${total.id}</bdi>`}</th>
            ${figures.map((each) => html`<td class="number" key=${each.name}>${valueText(valueOfRows(total.rows, each), each.unit)}</td>`)}
          </tr>`,
        )}
      <//>
      <details>
        <summary>What each figure means</summary>
        <dl class="definitions">
          ${figures.map((each) => html`<div key=${each.name}><dt>${nameInWords(each.name)} <code>${each.name}</code></dt><dd>${each.definition}</dd></div>`)}
        </dl>
      </details>
    <//>
  `
}

/** Charts and tables of daily_stats and daily_stats_by. */
export const StatisticsPage = ({ account, query }: PageProps) => {
  const text = (name: string) => query.get(name) ?? ''
  const by = text('by') || 'day'
  const filter = new URLSearchParams({
    ...(text('from') !== '' && { from: text('from') }),
    ...(text('to') !== '' && { to: text('to') }),
    by,
    ...(by !== 'day' && text('id') !== '' && { id: text('id') }),
  }).toString()
  const path = accountPath(account, 'statistics')
  const { value, trouble, again } = useLoad(filter, (signal) => get<StatisticsAnswer>(`${path}?${filter}`, signal))
  // Without days in the address the server chooses them, because it knows the account's time zone.
  const days = { from: text('from') || (value?.from ?? ''), to: text('to') || (value?.to ?? '') }
  const change = (part: Readonly<Record<string, string>>) => {
    const all = { ...days, by, id: text('id'), figure: text('figure'), ...part }
    const given = Object.entries(all).filter(([, each]) => each !== '')
    go(pathOf(account, 'statistics', new URLSearchParams(given).toString()))
  }
  const day = (name: 'from' | 'to', label: string) => html`
    <${Field} label=${label}>
      <input type="date" required value=${days[name]} onChange=${(event: Event) => valueOfField(event) !== '' && change({ [name]: valueOfField(event) })} />
    <//>
  `
  return html`
    <div class="page-head">
      <h1>Statistics</h1>
      <p><a class="button" download href=${`${base}api/${path}.csv?${filter}`}>Save as CSV</a></p>
    </div>
    <form class="filters" aria-label="Statistics" onSubmit=${(event: Event) => event.preventDefault()}>
      ${day('from', 'From')} ${day('to', 'To')}
      <${Select} label="By" value=${by} options=${groupings} onChange=${(next: string) => change({ by: next, id: '' })} />
      ${
        by !== 'day' &&
        html`<${Field} label="Only this id">
          <input data-search value=${text('id')} size="12" onChange=${(event: Event) => change({ id: valueOfField(event).trim() })} />
        <//>`
      }
    </form>
    <${TroubleBox} trouble=${trouble} again=${again} />
    ${value === undefined && trouble === undefined && html`<${Waiting} what="statistics" />`}
    ${value !== undefined && html`<${Results} answer=${value} figure=${text('figure') || 'figures.containment'} choose=${(figure: string) => change({ figure })} />`}
  `
}
