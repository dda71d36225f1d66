import { base } from '../../browser/api.ts'
import { type Row, type Total, valueText } from '../../browser/figures.ts'
import { daysText, dayText } from '../../browser/format.ts'
import { Card } from '../../browser/parts.tsx'
import { pathOf, queryOfSet } from '../../browser/route.ts'
import { figureName } from '../../browser/words.ts'
import { ChangeText } from './change-text.tsx'
import type { Definition, FigureName } from './definitions.ts'
import type { StatisticsAnswer } from './page.ts'
import { groupings, noteOf, type Sort, valueIn } from './statistics.ts'
import { ofTeam } from './team-weeks.tsx'
import { teamWords } from './team-words.ts'

/** What the chart and the table show. */
export type Shown = {
  readonly answer: StatisticsAnswer
  /** In the chosen order. */
  readonly totals: ReadonlyArray<Total>
  readonly figures: ReadonlyArray<Definition>
  /** The figure of the chart. */
  readonly shown: Definition
  /** Of a row, by its id. */
  readonly nameOf: (id: string) => string
  readonly today: string
}

/** All agents together. A session counts for each of its agents, so their rows cannot be added. */
export type Team = { readonly now: StatisticsAnswer; readonly before: StatisticsAnswer }

type CellProps = {
  readonly rows: ReadonlyArray<Row>
  /** The rows of the period before, if there is a comparison. */
  readonly before: ReadonlyArray<Row> | undefined
  readonly figure: Definition
  readonly today: string
  readonly kind: string
}

/** A figure, and below it the change since the period before. */
const Cell = ({ rows, before, figure, today, kind }: CellProps) => {
  const [now, then] = [valueIn(rows, figure, today), before && valueIn(before, figure, today)]
  const { unit } = figure
  return (
    <td class={`number ${kind}`} data-label={figureName(figure.name)}>
      {valueText(now, unit)}
      {before !== undefined && (
        <span class="sub change">
          <ChangeText name={figure.name} unit={unit} now={now} before={then} />
          <span class="was">was {valueText(then, unit)}</span>
        </span>
      )}
    </td>
  )
}

/** With what the figures of agents are compared, in words. */
const comparedWords = (before: StatisticsAnswer, isUntilNow: boolean): string => {
  const days = daysText(before)
  if (before.rows.length === 0) return `nothing to compare with: no statistics of ${days}`
  return `compared with ${days}${isUntilNow ? ' until the same time of day' : ''}`
}

type Props = Shown & {
  readonly account: string
  /** Of the period before, if there is a comparison. */
  readonly before: StatisticsAnswer | undefined
  readonly team: Team | undefined
  readonly sort: Sort | undefined
  readonly sortBy: (name: FigureName | '', ofChange?: boolean) => void
  /** The rows of the period before, by id. Undefined if nothing is stored of it: a dash in each cell would say nothing. */
  readonly earlierOf: ReadonlyMap<string, ReadonlyArray<Row>> | undefined
}

/** All figures as a table, whose columns sort it. */
export const FigureTable = ({
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
}: Props) => {
  const isOfAgents = answer.by === 'agent'
  const first = groupings.find(([value]) => value === answer.by)?.[1] ?? ''
  const widthOf = (name: FigureName | '') => (isOfAgents && name !== '' && !ofTeam.includes(name) ? 'extra' : '')
  const arrow = (name: FigureName | '', ofChange: boolean) =>
    sort?.name === name &&
    (sort.ofChange ?? false) === ofChange && <span aria-hidden="true">{sort.isUp ? ' ↑' : ' ↓'}</span>
  const heading = (name: FigureName | '', text: string) => (
    <th
      scope="col"
      key={name}
      class={name === '' ? '' : `number ${widthOf(name)}`}
      aria-sort={sort?.name === name ? (sort.isUp ? 'ascending' : 'descending') : 'none'}
    >
      <button type="button" class="sort" onClick={() => sortBy(name)}>
        {text}
        {arrow(name, false)}
      </button>
      {name !== '' && earlierOf !== undefined && (
        <button type="button" class="sort sub" onClick={() => sortBy(name, true)}>
          <span class="unseen">{text}: </span>change{arrow(name, true)}
        </button>
      )}
    </th>
  )
  const shape = { day: 'by-day', agent: 'team', widget: '', bot: '' }[answer.by]
  const caption = `Figures from ${answer.from} to ${answer.to}`
  const compared = isOfAgents && before && comparedWords(team?.before ?? before, answer.to === today)
  return (
    <Card
      title={isOfAgents ? 'Team' : 'Figures'}
      id="figures"
      aside={compared && <span class="muted">{compared}</span>}
    >
      {isOfAgents && <p>{teamWords(totals, earlierOf, nameOf)}</p>}
      <div class={`scroll as-cards figures ${shape}`} role="region" aria-label={caption} tabindex={0}>
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {heading('', first)}
              {figures.map(({ name }) => heading(name, figureName(name)))}
            </tr>
          </thead>
          <tbody>
            {team !== undefined && (
              <tr key="together" class="together">
                <th scope="row">The whole team</th>
                {figures.map((each) => (
                  <Cell
                    key={each.name}
                    rows={team.now.rows}
                    before={earlierOf && team.before.rows}
                    figure={each}
                    today={today}
                    kind={widthOf(each.name)}
                  />
                ))}
              </tr>
            )}
            {totals.map(({ id, rows }) => (
              <tr key={id}>
                <th scope="row" class={answer.by === 'day' ? 'day' : ''}>
                  {answer.by === 'day' ? (
                    <>
                      {dayText(id)}
                      {noteOf(id, today) !== '' && <span class="sub">{noteOf(id, today)}</span>}
                    </>
                  ) : (
                    <>
                      {isOfAgents ? (
                        <a
                          href={`${base}${pathOf(account, 'conversations', queryOfSet({ agent: id, from: answer.from, to: answer.to }).toString())}`}
                          title="Conversations of the agent"
                        >
                          <bdi>{nameOf(id)}</bdi>
                        </a>
                      ) : (
                        <bdi>{nameOf(id)}</bdi>
                      )}
                      {nameOf(id) !== id && <span class="sub">{id}</span>}
                    </>
                  )}
                </th>
                {figures.map((each) => (
                  <Cell
                    key={each.name}
                    rows={rows}
                    before={earlierOf && (earlierOf.get(id) ?? [])}
                    figure={each}
                    today={today}
                    kind={`${each === shown ? 'chosen' : ''} ${widthOf(each.name)}`}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isOfAgents && <p class="muted narrow-only">A wider screen and the CSV file show more figures.</p>}
      {answer.by !== 'day' && answer.to >= today && <p class="muted">Today is not over: its part counts so far.</p>}
      <details>
        <summary>What each figure means</summary>
        <dl class="definitions">
          {figures.map((each) => (
            <div key={each.name}>
              <dt>
                {figureName(each.name)} <code>{each.name}</code>
              </dt>
              <dd>{each.definition}</dd>
            </div>
          ))}
        </dl>
      </details>
    </Card>
  )
}
