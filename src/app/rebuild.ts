import { Command, InvalidArgumentError, Option } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { dataKeys } from '../archive/data-keys.ts'
import { restorer } from '../archive/restore.ts'
import { timeZonesOf } from '../domain/accounts.ts'
import { connectRebuilds } from '../mongo/rebuild/rebuilds.ts'
import { type Asked, rebuildAsked } from '../operations/rebuild/command.ts'
import { progressBar, progressLines } from '../operations/rebuild/progress.ts'
import type { Row } from '../operations/rebuild/replay.ts'
import { monotonic, sleep } from '../shared/time.ts'
import type { ViewName } from '../views/index.ts'
import { viewNames } from '../views/index.ts'
import { wrappingKeysOf } from './archive.ts'
import { exitOfWrongConfig } from './config.ts'
import { withBothServers } from './servers.ts'
import { firstSignal } from './signals.ts'

const rebuild = (asked: Asked, json: boolean): Promise<number> =>
  withBothServers('rebuild', async ({ settings, kafka, mongo, recordAction, out, err }) => {
    const wrapping = wrappingKeysOf(settings, false)
    if (E.isLeft(wrapping)) {
      err(wrapping.left)
      return exitOfWrongConfig
    }
    const signal = firstSignal(console.error)
    const rebuilds = connectRebuilds(mongo.config, { sleep, timeZoneOf: timeZonesOf(settings.accounts) })
    const restore = wrapping.right && restorer(dataKeys(mongo.archiveKeys, wrapping.right))
    const rows: Row[] = []
    // Messages go to stderr, so that stdout has only JSON.
    const say = (line: string, row?: Row) => {
      if (row !== undefined) rows.push(row)
      if (json) err(line)
      else out(line)
    }
    const { isTTY } = process.stdout
    const show = isTTY && !json ? progressBar(process.stdout, monotonic) : progressLines(say, monotonic)
    try {
      const code = await rebuildAsked(
        { kafka, restore, rebuilds, recordAction, say, show, sleep, clock: monotonic, signal },
        asked,
      )
      if (json) out(JSON.stringify({ done: code === 0, views: rows }, null, 2))
      return code
    } finally {
      await rebuilds.stop()
    }
  })

const viewsOf = (name: string): ReadonlyArray<ViewName> => {
  if (name === 'all') return viewNames
  const view = viewNames.find((known) => known === name)
  if (view === undefined) throw new InvalidArgumentError(`${name} is not one of ${viewNames.join(', ')}, all.`)
  return [view]
}

type Options = Partial<Pick<Asked, 'dryRun' | 'resume' | 'discard' | 'force'>> & { readonly json?: true }

/** `rebuild VIEW|all`: folds the topics into new collections beside the live views, then swaps them in. */
export const rebuildCommand = (): Command =>
  new Command('rebuild')
    .argument('[view]', `${viewNames.join(', ')}, or all`, viewsOf)
    .description(
      'rebuild a view from the topics in a new collection, then swap it with the live view in one step. Readers see no gap, and the bridge continues to run. daily_stats is computed from the other views, day by day. Queries that run at the moment of the swap fail and must be repeated.',
    )
    .option('--dry-run', 'only compare with the live view and print the differences; exit code 1 if there are any')
    .addOption(new Option('--resume', 'continue the interrupted rebuild').conflicts('discard'))
    .option('--discard', 'drop the interrupted rebuild')
    .option('--force', 'continue although the log has lost records that a live view was made from')
    .option('--json', 'print the result for each view as JSON')
    .action(async (views: ReadonlyArray<ViewName> | undefined, options: Options) => {
      const { dryRun = false, resume = false, discard = false, force = false } = options
      process.exit(await rebuild({ views, dryRun, resume, discard, force }, options.json === true))
    })
