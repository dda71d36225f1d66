import { Command, InvalidArgumentError, Option } from 'commander'
import type { ViewName } from '../../contracts/views.ts'
import { now } from '../domain/clock.ts'
import { connectKafka } from '../kafka/kafka.ts'
import { classify } from '../mongo/classify.ts'
import { connectMongo } from '../mongo/connect.ts'
import { connectRebuilds } from '../mongo/rebuild/rebuilds.ts'
import { type Asked, rebuildAsked } from '../operations/rebuild/command.ts'
import { progressBar, progressLines } from '../operations/rebuild/progress.ts'
import { topicsOf, viewNames } from '../projections/view-topics.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { exitOfWrongConfig, readSettings } from './config.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { kafkaOf, kafkaSettings, mongoOf } from './servers.ts'

const say = (line: string) => console.log(line)

const rebuild = async (asked: Asked): Promise<number> => {
  const settings = await readSettings()
  if (settings === undefined) return exitOfWrongConfig
  const [kafkaConfig, mongoConfig] = [kafkaOf(settings), mongoOf(settings)]
  if (kafkaConfig === undefined || mongoConfig === undefined) {
    console.error(
      'No bridge runs here with embedded servers: start one with npm start, or set KAFKA_BROKERS and MONGODB_URL.',
    )
    return 1
  }
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())
  const kafka = connectKafka(kafkaSettings(kafkaConfig, settings.topics, 'livechat-bridge-rebuild'), {
    log: createLog('silent'),
    measure: createMetrics().measure,
    now,
  })
  const rebuilds = connectRebuilds(mongoConfig, { sleep })
  const mongo = connectMongo(mongoConfig, { log: createLog('silent'), sleep, clock: monotonic })
  const show = process.stdout.isTTY ? progressBar(process.stdout, monotonic) : progressLines(say, monotonic)
  try {
    // Before the first record is read: what is made anew meanwhile is noticed.
    const topicIds = await kafka.topicIds(topicsOf(viewNames))
    const code = await rebuildAsked(
      { kafka, rebuilds, say, show, sleep, clock: monotonic, signal: interruption.signal },
      asked,
    )
    // A resumed rebuild may have read other topics.
    if (code === 0 && !asked.dryRun && !asked.resume && asked.views?.length === viewNames.length)
      await mongo.topicsRead.remember('views', topicIds)
    return code
  } catch (error) {
    console.error(`It could not be done: ${classify(error).reason}`)
    return 1
  } finally {
    await kafka.stop()
    await Promise.all([rebuilds.stop(), mongo.stop()])
  }
}

const viewsOf = (name: string): ReadonlyArray<ViewName> => {
  if (name === 'all') return viewNames
  const view = viewNames.find((known) => known === name)
  if (view === undefined) throw new InvalidArgumentError(`${name} is not one of ${viewNames.join(', ')}, all.`)
  return [view]
}

type Options = Partial<Pick<Asked, 'dryRun' | 'resume' | 'discard' | 'force'>>

/** `rebuild VIEW|all`: folds views anew from the topics, beside the live ones, and puts them in their place. */
export const rebuildCommand = (): Command =>
  new Command('rebuild')
    .argument('[view]', `${viewNames.join(', ')}, or all`, viewsOf)
    .description(
      'fold a view anew from the topics, beside the live one, and put it in its place in one step: readers see no gap, and the bridge goes on meanwhile. daily_stats is computed anew from the other views, day by day. Queries that are open in the moment of the swap end with an error and have to be asked again.',
    )
    .option('--dry-run', 'only compare with the live view, and print what differs; exit code 1 where something does')
    .addOption(new Option('--resume', 'go on with the rebuild that was interrupted').conflicts('discard'))
    .option('--discard', 'drop what is left of the rebuild that was interrupted')
    .option('--force', 'go on though the log has lost records that a live view was made from')
    .action(async (views: ReadonlyArray<ViewName> | undefined, options: Options) => {
      const { dryRun = false, resume = false, discard = false, force = false } = options
      process.exit(await rebuild({ views, dryRun, resume, discard, force }))
    })
