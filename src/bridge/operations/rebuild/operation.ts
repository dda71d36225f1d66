import * as E from 'fp-ts/lib/Either.js'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Rebuilds } from '../../mongo/rebuild/rebuilds.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import { type ViewName, viewNames } from '../../views/index.ts'
import { commandText } from '../audit.ts'
import { operation, stop } from '../operation.ts'
import type { ReadOption } from '../options.ts'
import type { ArchiveDeps } from './archive.ts'
import { rebuildAsked } from './rebuild.ts'
import type { Row } from './replay.ts'

const viewsOf: ReadOption<ReadonlyArray<ViewName>> = (name) => {
  if (name === 'all') return E.right(viewNames)
  const view = viewNames.find((known) => known === name)
  return view === undefined ? E.left(`one of ${viewNames.join(', ')}, all`) : E.right([view])
}

/** Folds the topics into new collections beside the live views, then swaps them in. */
export const rebuild = operation({
  name: 'rebuild',
  summary:
    'rebuild one view, or with all every view, from the log, beside the live ones, and swap them in; --resume and --discard need no VIEW',
  description:
    'rebuild a view from the topics in a new collection, then swap it with the live view in one step. Readers see no gap, and the bridge continues to run. daily_stats is computed from the other views, day by day. Queries that run at the moment of the swap fail and must be repeated.',
  options: {
    view: {
      about: `${viewNames.join(', ')}, or all`,
      value: 'view',
      read: viewsOf,
      isArgument: true,
    },
    resume: { about: 'continue the interrupted rebuild', conflicts: ['discard'] },
    discard: { about: 'drop the interrupted rebuild' },
    force: { about: 'continue although the log has lost records that a live view was made from' },
  },
  json: 'print the result for each view as JSON',
  dryRun: {
    about: 'only compare with the live view and print the differences; exit code 1 if there are any',
    acts: true,
  },
  needs: { kafka: true, rebuilds: true, restore: true },
  select: async (
    _: { readonly kafka: KafkaPorts; readonly rebuilds: Rebuilds; readonly restore: ArchiveDeps['restore'] },
    { view: views, resume = false, discard = false, force = false },
  ) =>
    views === undefined && !resume && !discard
      ? stop('refused', `Which view? One of ${viewNames.join(', ')}; or all.`)
      : E.right({ views, resume, discard, force }),
  action: ({ views, resume, discard, force }) => ({
    action: 'rebuild',
    detail: commandText('rebuild', { views, resume, discard, force }),
  }),
  act: async (ports, asked, { isDry, say, progress, interruption }) => {
    const rows: Row[] = []
    const sayRow = (line: string, row?: Row) => {
      if (row !== undefined) rows.push(row)
      say(line)
    }
    const deps = { ...ports, say: sayRow, show: progress, sleep, clock: monotonic, signal: interruption() }
    const code = await rebuildAsked(deps, { ...asked, dryRun: isDry })
    return { code, result: { done: code === 0, views: rows } }
  },
})
