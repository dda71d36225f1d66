import type { KafkaPorts } from '../../src/bridge/kafka/kafka.ts'
import type { Rebuilds } from '../../src/bridge/mongo/rebuild/rebuilds.ts'
import type { Progress, ShowProgress } from '../../src/bridge/operations/progress.ts'
import { type Asked, rebuildAsked } from '../../src/bridge/operations/rebuild/rebuild.ts'
import type { RebuildDeps, Row } from '../../src/bridge/operations/rebuild/replay.ts'
import { monotonic, sleep } from '../../src/bridge/shared/time.ts'

/** Runs a rebuild by the command's own function. Unless a test says more, it has no keys of the archive. */
export const runRebuild = async (
  { kafka, rebuilds }: { readonly kafka: KafkaPorts; readonly rebuilds: Rebuilds },
  asked: Partial<Asked>,
  more: Partial<RebuildDeps> = {},
) => {
  const said: string[] = []
  const rows: Row[] = []
  const deps = {
    kafka,
    rebuilds,
    sleep,
    clock: monotonic,
    signal: new AbortController().signal,
    say: (line: string, row?: Row) => {
      said.push(line)
      if (row !== undefined) rows.push(row)
    },
    show: () => ({ at: () => {}, end: () => {} }),
    ...more,
  }
  const code = await rebuildAsked(deps, {
    views: undefined,
    dryRun: false,
    resume: false,
    discard: false,
    force: false,
    ...asked,
  })
  return { code, said, rows }
}

/** Interrupts the rebuild at its first progress report for which `isTime` is true. */
export const interrupting = (isTime: (progress: Progress) => boolean = () => true) => {
  const stop = new AbortController()
  const show: ShowProgress = () => ({ at: (progress) => isTime(progress) && stop.abort(), end: () => {} })
  return { signal: stop.signal, show }
}
