import cliProgress from 'cli-progress'
import { following, type ShowProgress } from './progress.ts'

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
