/** How much is done, in records of the log or in other units. */
export type Progress = { readonly done: number; readonly total: number }
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

/** Shows the progress of `what`, counted in `unit`. */
export type ShowProgress = (what: string, unit: string) => Shown
type Shown = {
  /** `trouble`: what the work waits for, if anything. */
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
export const progressText = (samples: ReadonlyArray<Sample>, unit: string): string => {
  const { done, total } = samples.at(-1) ?? { done: 0, total: 0 }
  const { perSecond, secondsLeft } = paceOf(samples)
  return [
    `${count(done)} of ${count(total)} ${unit}`,
    ...(perSecond === undefined ? [] : [`${count(perSecond)}/s`]),
    ...(secondsLeft === undefined ? [] : [`${duration(secondsLeft)} left`]),
  ].join(', ')
}

/** Keeps the samples and draws each one with its text. */
export const following = (
  unit: string,
  clock: () => number,
  draw: (progress: Progress, text: string, isLast: boolean) => void,
): Shown => {
  let samples: ReadonlyArray<Sample> = []
  let text = ''
  return {
    at: (progress, trouble) => {
      samples = addSample(samples, { ...progress, at: clock() })
      text = `${progressText(samples, unit)}${trouble === undefined ? '' : ` (waits: ${trouble})`}`
      draw(progress, text, false)
    },
    end: () => {
      const last = samples.at(-1)
      if (last !== undefined) draw(last, text, true)
    },
  }
}

const sayEveryMs = 5_000

/** A line every few seconds, where there is no terminal. */
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
