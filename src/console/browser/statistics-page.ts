import type { StatisticsAnswer } from '../answers.ts'
import { accountPath, base, get } from './api.ts'
import { Chart, type Line } from './chart.ts'
import { countIn, daysBetween, figureIn, type Total, totalsOf } from './day-rows.ts'
import { dayCounts, nameInWords, quotient, textAt, valueText } from './figures.ts'
import { count, dayAfter, dayText } from './format.ts'
import { useLoad } from './hooks.ts'
import { html } from './html.ts'
import { go } from './navigation.ts'
import { Card, Empty, Field, Select, Table, TroubleBox, valueOfField, Waiting } from './parts.ts'
import { type PageProps, pathOf } from './route.ts'

type Definition = StatisticsAnswer['definitions'][number]
type Shown = Definition & { readonly of: (total: Total) => number | undefined }

const groupings = [
  ['day', 'Day'],
  ['agent', 'Agent'],
  ['widget', 'Widget or channel'],
  ['bot', 'Bot'],
] as const
const mostLines = 5

/** Everything that can be shown: what is counted of a day, and the figures that the contract defines. */
const figuresOf = (definitions: ReadonlyArray<Definition>, by: string): ReadonlyArray<Shown> => [
  ...(by === 'day' ? dayCounts : []).map(({ path, title, definition }) => ({
    ...{ name: path.join('.'), title, definition, unit: 'count' },
    of: (total: Total) => countIn(total, path),
  })),
  ...definitions
    .filter(({ name }) => !dayCounts.some(({ path }) => path.join('.') === name))
    .map((definition) => ({ ...definition, of: (total: Total) => quotient(figureIn(total, definition.name)) })),
]

const titleOf = ({ name }: Definition) =>
  dayCounts.find(({ path }) => path.join('.') === name)?.title ?? nameInWords(name)

const linesOf = (answer: StatisticsAnswer, figure: Shown, days: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const groups =
    answer.by === 'day' ? [{ id: '', name: titleOf(figure), rows: answer.rows }] : totalsOf(answer.rows, answer.by)
  return groups.slice(0, mostLines).map(({ id, name, rows }) => ({
    name: name || id,
    values: days.map((day) => {
      const row = rows.find((each) => textAt(each, 'day') === day)
      return row === undefined ? null : (figure.of({ id: day, name: '', rows: [row] }) ?? null)
    }),
  }))
}

const seconds = (day: string) => Date.parse(`${day}T12:00:00Z`) / 1_000

const Results = ({
  answer,
  figure,
  choose,
}: {
  readonly answer: StatisticsAnswer
  readonly figure: string
  readonly choose: (name: string) => void
}) => {
  const figures = figuresOf(answer.definitions, answer.by)
  const shown = figures.find(({ name }) => name === figure) ?? figures[0]
  const totals = totalsOf(answer.rows, answer.by)
  const days = daysBetween(answer.from, answer.to)
  if (shown === undefined || totals.length === 0)
    return html`<${Empty} title="There are no statistics of these days.">
      Choose other days. Figures of a day are of sessions that began on it and are over.
    <//>`
  const lines = linesOf(answer, shown, days)
  return html`
    <${Card} title=${titleOf(shown)} id="chart">
      <p class="definition-text">${shown.definition}${shown.definition.endsWith('.') ? '' : '.'} <code>${shown.name}</code></p>
      <${Select} label="Figure" value=${shown.name} onChange=${choose} options=${figures.map((each) => [each.name, titleOf(each)])} />
      <${Chart}
        label=${`${titleOf(shown)} by day from ${answer.from} to ${answer.to}; the table below has the numbers`}
        times=${days.map(seconds)}
        lines=${lines}
        text=${(value: number) => valueText(value, shown.unit)}
        timeText=${(at: number) => dayText(new Date(at * 1_000).toISOString().slice(0, 10))}
      />
      ${totals.length > lines.length && answer.by !== 'day' && html`<p class="muted">The first ${mostLines} of ${count(totals.length)} are drawn.</p>`}
    <//>
    <${Card} title="All figures" id="figures">
      <${Table}
        caption=${`Figures from ${answer.from} to ${answer.to}`}
        head=${[groupings.find(([value]) => value === answer.by)?.[1] ?? '', ...figures.map(titleOf)]}
      >
        ${totals.map(
          (total) => html`<tr key=${total.id}>
            <th scope="row">${answer.by === 'day' ? dayText(total.id) : html`<bdi>${total.name || total.id}</bdi>`}</th>
            ${figures.map((each) => html`<td class="number" key=${each.name}>${valueText(each.of(total), each.unit)}</td>`)}
          </tr>`,
        )}
      <//>
      <details>
        <summary>What each figure means</summary>
        <dl class="definitions">
          ${figures.map((each) => html`<div key=${each.name}><dt>${titleOf(each)} <code>${each.name}</code></dt><dd>${each.definition}</dd></div>`)}
        </dl>
      </details>
    <//>
  `
}

/** Charts and tables of daily_stats and daily_stats_by. */
export const StatisticsPage = ({ account, query }: PageProps) => {
  const today = new Date().toISOString().slice(0, 10)
  const asked = {
    from: query.get('from') ?? dayAfter(today, -27),
    to: query.get('to') ?? today,
    by: query.get('by') ?? 'day',
    id: query.get('id') ?? '',
    figure: query.get('figure') ?? 'containment',
  }
  const change = (part: Partial<typeof asked>) =>
    go(pathOf(account, 'statistics', new URLSearchParams({ ...asked, ...part }).toString()))
  const { from, to, by, id } = asked
  const filter = new URLSearchParams({ from, to, by, ...(id !== '' && { id }) }).toString()
  const path = accountPath(account, 'statistics')
  const { value, trouble, again } = useLoad(filter, (signal) => get<StatisticsAnswer>(`${path}?${filter}`, signal))
  const day = (name: 'from' | 'to', label: string) => html`
    <${Field} label=${label}>
      <input type="date" required value=${asked[name]} onChange=${(event: Event) => valueOfField(event) !== '' && change({ [name]: valueOfField(event) })} />
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
          <input data-search value=${id} size="12" onChange=${(event: Event) => change({ id: valueOfField(event).trim() })} />
        <//>`
      }
    </form>
    <${TroubleBox} trouble=${trouble} again=${again} />
    ${value === undefined && trouble === undefined && html`<${Waiting} what="statistics" />`}
    ${value !== undefined && html`<${Results} answer=${value} figure=${asked.figure} choose=${(figure: string) => change({ figure })} />`}
  `
}
