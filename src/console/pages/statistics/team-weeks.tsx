import { accountPath, get, type Result } from '../../browser/api.ts'
import { valueText } from '../../browser/figures.ts'
import { shortDayText } from '../../browser/format.ts'
import { useLoad } from '../../browser/hooks.ts'
import { Card, TroubleBox } from '../../browser/parts.tsx'
import { figureName } from '../../browser/words.ts'
import { ChangeText } from './change-text.tsx'
import type { FigureName } from './definitions.ts'
import type { StatisticsAnswer } from './page.ts'
import { type Days, lastWeeks, sameOfLastWeek, valueIn } from './statistics.ts'

/** The figures of the team that fit beside each other on a small screen. */
export const ofTeam: ReadonlyArray<FigureName> = [
  'sessions.agent.started',
  'figures.firstResponseAgent',
  'figures.handleTime',
  'figures.csat',
]

type Weeks = {
  /** The last four weeks by day. */
  readonly answer: StatisticsAnswer
  /** The same part of the week before as this week has. */
  readonly before: StatisticsAnswer
}

type Props = {
  readonly account: string
  readonly today: string
  readonly chosen: Days
  readonly choose: (days: Days) => void
}

const WeeksTable = ({ answer, before, today, chosen, choose }: Weeks & Omit<Props, 'account'>) => {
  const figures = ofTeam.flatMap((name) => answer.definitions.find((each) => each.name === name) ?? [])
  const caption = 'The whole team, week by week'
  return (
    <Card title={caption} id="weeks">
      <table class="compact weeks">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Week</th>
            {figures.map(({ name }) => (
              <th scope="col" class="number" key={name}>
                {figureName(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lastWeeks(today).map((week) => {
            const rows = answer.rows.filter(({ day }) => day >= week.from && day <= week.to)
            const isChosen = chosen.from === week.from && chosen.to === week.to
            return (
              <>
                <tr key={week.from}>
                  <th scope="row">
                    <button type="button" class="link" aria-pressed={isChosen} onClick={() => choose(week)}>
                      {week.to === today
                        ? `${shortDayText(week.from)} until now`
                        : `${shortDayText(week.from)} – ${shortDayText(week.to)}`}
                    </button>
                  </th>
                  {figures.map((each) => {
                    const value = valueIn(rows, each, today)
                    return (
                      <td class="number" key={each.name}>
                        {valueText(value, each.unit)}
                        {week.to === today && (
                          <span class="sub change">
                            <ChangeText
                              name={each.name}
                              unit={each.unit}
                              now={value}
                              before={valueIn(before.rows, each, today)}
                            />
                          </span>
                        )}
                      </td>
                    )
                  })}
                </tr>
                {week.to === today && (
                  <tr key="before" class="muted">
                    <th scope="row">The same part of the week before</th>
                    {figures.map((each) => (
                      <td class="number" key={each.name}>
                        {valueText(valueIn(before.rows, each, today), each.unit)}
                      </td>
                    ))}
                  </tr>
                )}
              </>
            )
          })}
        </tbody>
      </table>
    </Card>
  )
}

/** How the team did in each of the last weeks. Asked for once, whichever of them is chosen. */
export const TeamWeeks = ({ account, ...props }: Props) => {
  const { today } = props
  const { value, trouble, again } = useLoad(today, async (signal): Promise<Result<Weeks>> => {
    const read = (days: Days) => {
      const query = new URLSearchParams({ ...days, by: 'day' })
      return get<StatisticsAnswer>(`${accountPath(account, 'statistics')}?${query}`, signal)
    }
    const weeks = { from: lastWeeks(today).at(-1)?.from ?? today, to: today }
    const [answer, before] = await Promise.all([read(weeks), read(sameOfLastWeek(today))])
    if (!answer.ok) return answer
    if (!before.ok) return before
    return { ok: true, value: { answer: answer.value, before: before.value } }
  })
  return (
    <>
      <TroubleBox trouble={trouble} again={again} />
      {value !== undefined && <WeeksTable {...value} {...props} />}
    </>
  )
}
