import * as E from 'fp-ts/lib/Either.js'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { LeasedRebuild, Rebuilds } from '../../mongo/rebuild/rebuilds.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import { topicsOfViews, type ViewName, viewNames } from '../../views/index.ts'
import { optionsOf } from '../audit.ts'
import { type Done, operation, type Run, stop } from '../operation.ts'
import type { ReadOption } from '../options.ts'
import { type ArchiveDeps, archivesOf } from './from-archive.ts'
import { committedPositions, cutOff, onlyArchived, readLogs } from './places.ts'
import { groupOf, type RebuildDeps, type RebuildEvent, type Row } from './replay.ts'
import { forget, type Halted, runRebuild } from './run.ts'

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

/**
 * How `rebuild` has ended. `interrupted-before`: another rebuild was interrupted and must be continued or dropped first.
 * `cut-off`: the log lacks records. `recreated`: these topics were deleted and created again after the rebuild began.
 */
export type Ending =
  | { readonly kind: 'done' | 'different'; readonly isDry: boolean }
  | Halted
  | { readonly kind: 'nothing-interrupted' | 'nothing-to-discard' | 'discarded' | 'busy' | 'no-dry-run' | 'cut-off' }
  | { readonly kind: 'other-views'; readonly views: ReadonlyArray<ViewName> }
  | { readonly kind: 'recreated'; readonly topics: ReadonlyArray<string> }
  | {
      readonly kind: 'interrupted-before'
      readonly views: ReadonlyArray<ViewName>
      readonly startedAt: string
      readonly isDry: boolean
    }

/** `views`: what was found of the documents of each. */
export type Rebuilt = { readonly done: boolean; readonly ending: Ending; readonly views: ReadonlyArray<Row> }

const succeeds: ReadonlySet<Ending['kind']> = new Set(['done', 'discarded', 'nothing-to-discard'])

const committedBy =
  ({ kafka }: Pick<RebuildDeps, 'kafka'>) =>
  (writer: string) =>
    committedPositions(kafka, groupOf(writer), topicsOfViews(viewNames))

/** The topics that were created again since the interrupted rebuild read them. */
const recreated = async ({ kafka }: Deps, { views, topicIds = {} }: Unfinished): Promise<ReadonlyArray<string>> =>
  [...(await kafka.topicIds(topicsOfViews(views)))].flatMap(([topic, id]) =>
    topicIds[topic] === undefined || topicIds[topic] === id ? [] : [topic],
  )

const run = async (deps: Deps, own: LeasedRebuild, force: boolean): Promise<Ending> => {
  const outcome = await runRebuild(deps, own, force)
  return outcome.kind === 'done' || outcome.kind === 'different' ? { kind: outcome.kind, isDry: own.dryRun } : outcome
}

const resume = async (deps: Deps, { views, dryRun, force }: Asked): Promise<Ending> => {
  const unfinished = await deps.rebuilds.unfinished()
  if (unfinished === undefined) return { kind: 'nothing-interrupted' }
  if (views !== undefined && views.toSorted().join() !== unfinished.views.toSorted().join())
    return { kind: 'other-views', views: unfinished.views }
  if (dryRun && !unfinished.dryRun) return { kind: 'no-dry-run' }
  const topics = await recreated(deps, unfinished)
  if (topics.length > 0) return { kind: 'recreated', topics }
  const own = await deps.rebuilds.resume(committedBy(deps))
  return own === undefined ? { kind: 'busy' } : run(deps, own, force)
}

const discard = async (deps: Deps): Promise<Ending> => {
  if ((await deps.rebuilds.unfinished()) === undefined) return { kind: 'nothing-to-discard' }
  const own = await deps.rebuilds.resume(committedBy(deps))
  if (own === undefined) return { kind: 'busy' }
  await forget(deps, own)
  return { kind: 'discarded' }
}

const begin = async (deps: Deps, views: ReadonlyArray<ViewName>, { dryRun, force }: Asked): Promise<Ending> => {
  const unfinished = await deps.rebuilds.unfinished()
  if (unfinished?.isRunning) return { kind: 'busy' }
  if (unfinished !== undefined) {
    const { views: others, startedAt, dryRun: isDry } = unfinished
    return { kind: 'interrupted-before', views: others, startedAt: startedAt.toISOString(), isDry }
  }
  const topics = topicsOfViews(views)
  const partitions = cutOff(await readLogs(deps.kafka, topics), await readLogs(deps.kafka, archivesOf(topics)))
  if (partitions.length > 0) {
    deps.say({ kind: 'cut-off', partitions })
    if (!dryRun && !force) return { kind: 'cut-off' }
  }
  // Read before the first record, to notice a topic that is created again during the rebuild.
  const topicIds = await deps.kafka.topicIds(topics)
  const own = await deps.rebuilds.begin(views, dryRun, topicIds)
  return own === undefined ? { kind: 'busy' } : run(deps, own, force)
}

/** Does what is asked. */
export const rebuildAsked = async (deps: Deps, asked: Asked): Promise<Done<Rebuilt>> => {
  const views: Row[] = []
  const say = (event: RebuildEvent) => {
    if (event.kind === 'counted' || event.kind === 'compared') {
      const { kind, ...row } = event
      views.push(row)
    }
    deps.say(event)
  }
  const ports = { ...deps, say }
  const ending = asked.resume
    ? await resume(ports, asked)
    : asked.discard || asked.views === undefined
      ? await discard(ports)
      : await begin(ports, asked.views, asked)
  const done = succeeds.has(ending.kind)
  return { code: done ? 0 : 1, result: { done, ending, views } }
}

const viewsOf: ReadOption<ReadonlyArray<ViewName>> = (name) => {
  if (name === 'all') return E.right(viewNames)
  const view = viewNames.find((known) => known === name)
  return view === undefined ? E.left(`one of ${viewNames.join(', ')}, all`) : E.right([view])
}

const keyless =
  'The first records of the view are only in the archive, and this process has no ARCHIVE_KEY_FILE. Nothing was changed. Run livechat-bridge rebuild where the role archiver runs, or go on without these records with --force.'

const needsArchive = async (kafka: Pick<KafkaPorts, 'ranges'>, views: ReadonlyArray<ViewName>): Promise<boolean> => {
  const topics = topicsOfViews(views)
  return onlyArchived(await readLogs(kafka, topics), await readLogs(kafka, archivesOf(topics))).length > 0
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
    // The differences contain ids, and for drift names that were sent.
    look: ({ views }: Omit<Asked, 'dryRun'>) => ({
      action: 'unmask',
      command: 'rebuild',
      options: optionsOf({ views, dryRun: true }),
    }),
  },
  role: 'operator',
  needs: { kafka: true, rebuilds: true, restore: true },
  select: async (
    {
      kafka,
      restore,
    }: { readonly kafka: KafkaPorts; readonly rebuilds: Rebuilds; readonly restore: ArchiveDeps['restore'] },
    { view: views, resume = false, discard = false, force = false },
  ) => {
    if (views === undefined && !resume && !discard)
      return stop('refused', `Which view? One of ${viewNames.join(', ')}; or all.`)
    const isComplete = restore !== undefined || resume || discard || force || views === undefined
    return !isComplete && (await needsArchive(kafka, views))
      ? stop('refused', keyless)
      : E.right({ views, resume, discard, force })
  },
  action: ({ views, resume, discard, force }) => ({
    action: 'rebuild',
    command: 'rebuild',
    options: optionsOf({ views, resume, discard, force }),
  }),
  act: async (ports, asked, { isDry, say, interruption }: Run<RebuildEvent, never>) => {
    const deps = { ...ports, say, sleep, clock: monotonic, signal: interruption() }
    return E.right(await rebuildAsked(deps, { ...asked, dryRun: isDry }))
  },
})
