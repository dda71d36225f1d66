import type { StatisticsAnswer } from '../answers.ts'
import { ChangeText } from './change-text.ts'
import { textAt, valueText } from './figures.ts'
import { shortDayText } from './format.ts'
import { html } from './html.ts'
import { Card } from './parts.ts'
import { type Days, lastWeeks, valueIn } from './statistics.ts'
import { figureName } from './words.ts'

/** The figures of the team that fit beside each other on a small screen. */
export const ofTeam = ['sessions.agent.started', 'figures.firstResponseAgent', 'figures.handleTime', 'figures.csat']

type Props = {
  /** The last four weeks by day. */
  readonly answer: StatisticsAnswer
  /** The same part of the week before as this week has. */
  readonly before: StatisticsAnswer
  readonly today: string
  readonly chosen: Days
  readonly choose: (days: Days) => void
}

/** How the team did in each of the last weeks. */
export const TeamWeeks = ({ answer, before, today, chosen, choose }: Props) => {
  const figures = ofTeam.flatMap((name) => answer.definitions.find((each) => each.name === name) ?? [])
  const caption = 'The whole team, week by week'
  return html`
    <${Card} title=${caption} id="weeks">
      <table class="compact weeks">
        <caption class="unseen">${caption}</caption>
        <thead>
          <tr><th scope="col">Week</th>${figures.map(({ name }) => html`<th scope="col" class="number" key=${name}>${figureName(name)}</th>`)}</tr>
        </thead>
        <tbody>
          ${lastWeeks(today).map((week) => {
            const rows = answer.rows.filter((row) => textAt(row, 'day') >= week.from && textAt(row, 'day') <= week.to)
            const isChosen = chosen.from === week.from && chosen.to === week.to
            return html`<tr key=${week.from}>
              <th scope="row">
                <button type="button" class="link" aria-pressed=${isChosen} onClick=${() => choose(week)}>${week.to === today ? `${shortDayText(week.from)} until now` : `${shortDayText(week.from)} – ${shortDayText(week.to)}`}</button>
              </th>
              ${figures.map((each) => {
                const value = valueIn(rows, each, today)
                return html`<td class="number" key=${each.name}>
                  ${valueText(value, each.unit)}
                  ${week.to === today && html`<span class="sub change"><${ChangeText} name=${each.name} unit=${each.unit} now=${value} before=${valueIn(before.rows, each, today)} /></span>`}
                </td>`
              })}
            </tr>
            ${
              week.to === today &&
              html`<tr key="before" class="muted">
                <th scope="row">The same part of the week before</th>
                ${figures.map((each) => html`<td class="number" key=${each.name}>${valueText(valueIn(before.rows, each, today), each.unit)}</td>`)}
              </tr>`
            }`
          })}
        </tbody>
      </table>
    <//>
  `
}
