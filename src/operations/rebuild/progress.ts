import cliProgress from 'cli-progress'
import { type Look, lookedAt, type Progress, paceOf } from '../../projections/rebuild/pace.ts'

/** Shows how far something is: `what` is done, counted in `unit`. */
export type ShowProgress = (what: string, unit: string) => Shown
export type Shown = {
  /** With what keeps it from going on, if anything does. */
  readonly at: (progress: Progress, trouble?: string) => void
  readonly end: () => void
}

const count = (value: number) => Math.round(value).toLocaleString('en')

/** `1 h 02 min`, `3 min 20 s`, `7 s`. */
const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  const [h, min, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  if (h > 0) return `${h} h ${String(min).padStart(2, '0')} min`
  return min > 0 ? `${min} min ${String(s).padStart(2, '0')} s` : `${s} s`
}

/** `1,200 of 4,800 records, 400/s, 9 s left`. */
export const progressText = (looks: ReadonlyArray<Look>, unit: string): string => {
  const { done, total } = looks.at(-1) ?? { done: 0, total: 0 }
  const { perSecond, secondsLeft } = paceOf(looks)
  return [
    `${count(done)} of ${count(total)} ${unit}`,
    ...(perSecond === undefined ? [] : [`${count(perSecond)}/s`]),
    ...(secondsLeft === undefined ? [] : [`${duration(secondsLeft)} left`]),
  ].join(', ')
}

/** Keeps the looks, and hands on the text of each. */
const following = (
  unit: string,
  clock: () => number,
  draw: (progress: Progress, text: string, isLast: boolean) => void,
): Shown => {
  let looks: ReadonlyArray<Look> = []
  let text = ''
  return {
    at: (progress, trouble) => {
      looks = lookedAt(looks, { ...progress, at: clock() })
      text = `${progressText(looks, unit)}${trouble === undefined ? '' : ` (waits: ${trouble})`}`
      draw(progress, text, false)
    },
    end: () => {
      const last = looks.at(-1)
      if (last !== undefined) draw(last, text, true)
    },
  }
}

/** A bar on a terminal. */
export const progressBar =
  (stream: NodeJS.WriteStream, clock: () => number): ShowProgress =>
  (what, unit) => {
    const format = `${what}  {bar} {percentage} %  {text}`
    const bar = new cliProgress.SingleBar(
      { format, stream, gracefulExit: false, emptyOnZero: false },
      cliProgress.Presets.shades_classic,
    )
    return following(unit, clock, ({ done, total }, text, isLast) => {
      if (!bar.isActive) bar.start(total, done, { text })
      bar.setTotal(total)
      bar.update(done, { text })
      if (isLast) bar.stop()
    })
  }

const sayEveryMs = 5_000

/** A line now and then where there is no terminal. */
export const progressLines =
  (say: (line: string) => void, clock: () => number): ShowProgress =>
  (what, unit) => {
    let saidAt = Number.NEGATIVE_INFINITY
    return following(unit, clock, (_, text, isLast) => {
      if (!isLast && clock() - saidAt < sayEveryMs) return
      saidAt = clock()
      say(`${what}  ${text}`)
    })
  }
