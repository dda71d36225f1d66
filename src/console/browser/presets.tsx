import { dayOfTime, dayPlus, daysSinceMonday } from './format.ts'

type Span = { readonly from: string; readonly to: string }

/** From a day to a day, counted from today. `monday` is the day on which this week began. */
const presetsOf = (monday: number) =>
  [
    ['Today', 0, 0],
    ['Yesterday', -1, -1],
    ['This week', monday, 0],
    ['Last week', monday - 7, monday - 1],
    ['7 days', -6, 0],
    ['30 days', -29, 0],
  ] as const

/** Buttons for spans of days up to today, in the account's time zone. */
export const Presets = ({ chosen, choose }: { readonly chosen: Span; readonly choose: (span: Span) => void }) => {
  const today = dayOfTime(Date.now())
  return (
    <div class="row presets" role="group" aria-label="Days">
      {presetsOf(-daysSinceMonday(today)).map(([name, first, last]) => {
        const span = { from: dayPlus(today, first), to: dayPlus(today, last) }
        const isChosen = chosen.from === span.from && chosen.to === span.to
        return (
          <button key={name} type="button" aria-pressed={isChosen} onClick={() => choose(span)}>
            {name}
          </button>
        )
      })}
    </div>
  )
}
