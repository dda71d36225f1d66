import cliProgress from 'cli-progress'
import type { Progress, ProgressEvent } from '../../bridge/operations/progress.ts'

/** A progress and its time, in milliseconds of a monotonic clock. */
type Sample = Progress & { readonly at: number }
/** The rate per second and the seconds left; undefined while unknown. */
type Pace = { readonly perSecond: number | undefined; readonly secondsLeft: number | undefined }

const windowMs = 10_000

/** The samples of the last ten seconds, and this one. */
export const addSample = (samples: ReadonlyArray<Sample>, sample: Sample): ReadonlyArray<Sample> => [
  ...samples.filter(({ at }) => sample.at - at <= windowMs),
  sample,
]

/** The pace of the samples, which are ordered by time. */
export const paceOf = (samples: ReadonlyArray<Sample>): Pace => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at === first.at)
    return { perSecond: undefined, secondsLeft: undefined }
  const perSecond = ((last.done - first.done) * 1000) / (last.at - first.at)
  const left = Math.max(0, last.total - last.done)
  return { perSecond, secondsLeft: left === 0 ? 0 : perSecond > 0 ? left / perSecond : undefined }
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
export const progressText = (samples: ReadonlyArray<Sample>, unit: string): string => {
  const { done, total } = samples.at(-1) ?? { done: 0, total: 0 }
  const { perSecond, secondsLeft } = paceOf(samples)
  return [
    `${count(done)} of ${count(total)} ${unit}`,
    ...(perSecond === undefined ? [] : [`${count(perSecond)}/s`]),
    ...(secondsLeft === undefined ? [] : [`${duration(secondsLeft)} left`]),
  ].join(', ')
}

/** The words of a step, and in which unit it is counted. */
export type StepWords = readonly [what: string, unit: string]

/** Shows the progress of an operation. */
export type ShowProgress = (words: StepWords, event: ProgressEvent<unknown>) => void

type Draw = (progress: Progress, text: string, isOver: boolean) => void

/** Keeps the samples of each step, and draws each one with its text. */
const following = (clock: () => number, drawing: (what: string) => Draw): ShowProgress => {
  const steps = new Map<string, { samples: ReadonlyArray<Sample>; readonly draw: Draw }>()
  return ([what, unit], { done, total, waitsFor, isOver }) => {
    const step = steps.get(what) ?? { samples: [], draw: drawing(what) }
    steps.set(what, step)
    step.samples = addSample(step.samples, { done, total, at: clock() })
    const waits = waitsFor === undefined ? '' : ` (waits: ${waitsFor})`
    step.draw({ done, total }, `${progressText(step.samples, unit)}${waits}`, isOver)
    if (isOver) steps.delete(what)
  }
}

/** A bar on a terminal. */
export const progressBar = (stream: NodeJS.WriteStream, clock: () => number): ShowProgress =>
  following(clock, (what) => {
    const format = `${what}  {bar} {percentage} %  {text}`
    const bar = new cliProgress.SingleBar(
      { format, stream, gracefulExit: false, emptyOnZero: false },
      cliProgress.Presets.shades_classic,
    )
    return ({ done, total }, text, isOver) => {
      if (!bar.isActive) bar.start(total, done, { text })
      bar.setTotal(total)
      bar.update(done, { text })
      if (isOver) bar.stop()
    }
  })

const sayEveryMs = 5_000

/** A line every few seconds, where there is no terminal. */
export const progressLines = (say: (line: string) => void, clock: () => number): ShowProgress =>
  following(clock, (what) => {
    let saidAt = Number.NEGATIVE_INFINITY
    return (_, text, isOver) => {
      if (!isOver && clock() - saidAt < sayEveryMs) return
      saidAt = clock()
      say(`${what}  ${text}`)
    }
  })
