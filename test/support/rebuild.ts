import { rebuildWords } from '../../src/app/terminal/rebuild.ts'
import type { KafkaPorts } from '../../src/bridge/kafka/kafka.ts'
import type { Rebuilds } from '../../src/bridge/mongo/rebuild/rebuilds.ts'
import type { Progress } from '../../src/bridge/operations/progress.ts'
import { type Asked, rebuildAsked } from '../../src/bridge/operations/rebuild/rebuild.ts'
import type { RebuildDeps, RebuildEvent } from '../../src/bridge/operations/rebuild/replay.ts'
import { monotonic, sleep } from '../../src/bridge/shared/time.ts'

/**
 * Runs a rebuild by the command's own function. Unless a test says more, it has no keys of the archive. `said`: what the
 * command line prints.
 */
export const runRebuild = async (
  { kafka, rebuilds }: { readonly kafka: KafkaPorts; readonly rebuilds: Rebuilds },
  asked: Partial<Asked>,
  { say: hear = () => {}, ...more }: Partial<RebuildDeps> = {},
) => {
  const said: string[] = []
  const deps = {
    kafka,
    rebuilds,
    sleep,
    clock: monotonic,
    signal: new AbortController().signal,
    say: (event: RebuildEvent) => {
      if (event.kind !== 'progress') said.push(...rebuildWords.event(event).map(String))
      hear(event)
    },
    ...more,
  }
  const { code, result } = await rebuildAsked(deps, {
    views: undefined,
    dryRun: false,
    resume: false,
    discard: false,
    force: false,
    ...asked,
  })
  said.push(...rebuildWords.result(result).map(String))
  return { code, said, rows: result.views, ending: result.ending }
}

/** Interrupts the rebuild at its first progress report for which `isTime` is true. */
export const interrupting = (isTime: (progress: Progress) => boolean = () => true) => {
  const stop = new AbortController()
  const say = (event: RebuildEvent) => {
    if (event.kind === 'progress' && !event.isOver && isTime(event)) stop.abort()
  }
  return { signal: stop.signal, say }
}
