import * as E from 'fp-ts/lib/Either.js'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { LeasedRebuild, Rebuilds } from '../../mongo/rebuild/rebuilds.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import { topicsOfViews, type ViewName, viewNames } from '../../views/index.ts'
import { commandText } from '../audit.ts'
import { operation, stop } from '../operation.ts'
import type { ReadOption } from '../options.ts'
import { type ArchiveDeps, archivesOf } from './from-archive.ts'
import { committedPositions, cutOff, readLogs } from './places.ts'
import { groupOf, type RebuildDeps, type Row } from './replay.ts'
import type { Outcome } from './run.ts'
import { forget, runRebuild } from './run.ts'

/** Without views, only `resume` and `discard` are allowed. */
export type Asked = {
  readonly views: ReadonlyArray<ViewName> | undefined
  readonly dryRun: boolean
  readonly resume: boolean
  readonly discard: boolean
  readonly force: boolean
}

type Deps = RebuildDeps & { readonly rebuilds: Rebuilds }
type Unfinished = Pick<LeasedRebuild, 'views' | 'topicIds'>

const choice = 'To continue it: livechat-bridge rebuild --resume; or to drop it: livechat-bridge rebuild --discard'
const busy = 'A rebuild is running: wait until it has ended.'

const committedBy =
  ({ kafka }: Pick<RebuildDeps, 'kafka'>) =>
  (writer: string) =>
    committedPositions(kafka, groupOf(writer), topicsOfViews(viewNames))

const fail = ({ say }: Pick<RebuildDeps, 'say'>, reason: string): number => {
  say(reason)
  return 1
}

/** The topics that were created again since the interrupted rebuild read them. */
const recreated = async ({ kafka }: Deps, { views, topicIds = {} }: Unfinished): Promise<ReadonlyArray<string>> =>
  [...(await kafka.topicIds(topicsOfViews(views)))].flatMap(([topic, id]) =>
    topicIds[topic] === undefined || topicIds[topic] === id ? [] : [topic],
  )

const end = (deps: Deps, { dryRun }: Pick<LeasedRebuild, 'dryRun'>, outcome: Outcome): number => {
  switch (outcome.kind) {
    case 'done':
      deps.say(dryRun ? 'There is no difference, and nothing was changed.' : 'Done.')
      return 0
    case 'different':
      return fail(deps, 'There are differences; nothing was changed.')
    case 'refused':
      return fail(deps, `Refused: ${outcome.reason}. To continue anyway: --resume --force. To drop it: --discard.`)
    case 'not begun':
      return fail(deps, `Nothing was done: ${outcome.reason}.`)
    case 'stopped':
      return fail(deps, `Stopped: ${outcome.reason}. ${choice}`)
  }
}

const resume = async (deps: Deps, { views, dryRun, force }: Asked): Promise<number> => {
  const unfinished = await deps.rebuilds.unfinished()
  if (unfinished === undefined) return fail(deps, 'No rebuild was interrupted.')
  if (views !== undefined && views.toSorted().join() !== unfinished.views.toSorted().join())
    return fail(deps, `The interrupted rebuild is of ${unfinished.views.join(', ')}. ${choice}`)
  if (dryRun && !unfinished.dryRun) return fail(deps, `The interrupted rebuild is no dry run. ${choice}`)
  const others = await recreated(deps, unfinished)
  if (others.length > 0)
    return fail(
      deps,
      `These topics were deleted and created again after the rebuild began: ${others.join(', ')}. Drop it: livechat-bridge rebuild --discard; then start a new one.`,
    )
  const own = await deps.rebuilds.resume(committedBy(deps))
  return own === undefined ? fail(deps, busy) : end(deps, own, await runRebuild(deps, own, force))
}

const discard = async (deps: Deps): Promise<number> => {
  if ((await deps.rebuilds.unfinished()) === undefined) {
    deps.say('No rebuild was interrupted: there is nothing to discard.')
    return 0
  }
  const own = await deps.rebuilds.resume(committedBy(deps))
  if (own === undefined) return fail(deps, busy)
  await forget(deps, own)
  deps.say('Discarded.')
  return 0
}

const begin = async (deps: Deps, views: ReadonlyArray<ViewName>, { dryRun, force }: Asked): Promise<number> => {
  const unfinished = await deps.rebuilds.unfinished()
  if (unfinished?.isRunning) return fail(deps, busy)
  if (unfinished !== undefined) {
    const { views: others, startedAt, dryRun: dry } = unfinished
    const what = `${dry ? 'dry run of a rebuild' : 'rebuild'} of ${others.join(', ')}`
    return fail(deps, `A ${what} that began at ${startedAt.toISOString()} was interrupted. ${choice}`)
  }
  const topics = topicsOfViews(views)
  const lacking = cutOff(await readLogs(deps.kafka, topics), await readLogs(deps.kafka, archivesOf(topics)))
  if (lacking.length > 0) {
    deps.say(`The first records are missing in: ${lacking.join(', ')}. The views would lack them.`)
    if (!dryRun && !force) return fail(deps, 'Refused. To continue anyway: --force.')
  }
  // Read before the first record, to notice a topic that is created again during the rebuild.
  const topicIds = await deps.kafka.topicIds(topics)
  const own = await deps.rebuilds.begin(views, dryRun, topicIds)
  return own === undefined ? fail(deps, busy) : end(deps, own, await runRebuild(deps, own, force))
}

/** Does what is asked and reports the result. Returns the exit code of the process. */
export const rebuildAsked = async (deps: Deps, asked: Asked): Promise<number> => {
  if (asked.resume) return resume(deps, asked)
  return asked.discard || asked.views === undefined ? discard(deps) : begin(deps, asked.views, asked)
}

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
