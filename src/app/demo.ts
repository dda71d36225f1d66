import { randomInt } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { type TopicName, topics } from '../../contracts/topics.ts'
import type { Account } from '../bridge/domain/accounts.ts'
import type { Consume } from '../bridge/domain/log/consumer.ts'
import type { EndOffsets } from '../bridge/domain/log/positions.ts'
import type { IncomingRecord } from '../bridge/domain/log/record.ts'
import { connectMongo } from '../bridge/mongo/connect.ts'
import { readDocumentIn } from '../bridge/mongo/read-views.ts'
import { monotonic, sleep } from '../bridge/shared/time.ts'
import { serviceAccountOf } from '../tools/simulator/account.ts'
import { createEventLog } from '../tools/simulator/demo/log.ts'
import { runDemo } from '../tools/simulator/demo/run-demo.ts'
import { linesOf, talkToBot, topicsOfTalk } from '../tools/simulator/demo/say.ts'
import type { DemoAccount } from '../tools/simulator/demo/story.ts'
import { startService } from '../tools/simulator/service.ts'
import { environmentWith, exitOfWrongConfig, type KafkaConfig, readSettings, type Settings } from './config.ts'
import { startPair } from './pair.ts'
import { closedDataDir, findRunning } from './running.ts'
import { kafkaFor, kafkaOf, mongoOf, useProxy } from './servers.ts'
import { serversFor } from './start-servers.ts'
import { createLog } from './telemetry.ts'

type Log = { readonly consume: Consume; readonly endOffsets: EndOffsets }

/** Reads topics from their current ends. Once it resolves, `onRecord` gets every record that is appended later. */
const tailTopics = async (
  { consume, endOffsets }: Log,
  topics: ReadonlyArray<TopicName>,
  onRecord: (record: IncomingRecord) => void,
): Promise<() => Promise<void>> => {
  const ends = new Map(await Promise.all(topics.map(async (topic) => [topic, await endOffsets(topic)] as const)))
  const consumer = await consume({
    group: 'tail',
    alone: true,
    topics,
    commit: 'by-handler',
    startAt: async (topic, partition) => ends.get(topic)?.get(partition) ?? 0,
    handle: async ({ records }) => records.forEach(onRecord),
  })
  return consumer.stop
}

const isDemo = (account: Account): account is DemoAccount => account.webhooks !== undefined && account.bot !== undefined

type Place = {
  readonly url: string
  readonly kafka: KafkaConfig
  readonly mongo: { readonly url: string; readonly database: string }
  readonly stop: () => Promise<void>
}

const out = (line: string) => console.log(line)

/** The bridge that runs on this DATA_DIR, or a bridge that the demo starts. */
const findBridge = async (settings: Settings): Promise<E.Either<string, Place>> => {
  const url = findRunning(settings.dataDir, ({ roles }) => roles.includes('ingress'))?.url
  const [kafka, mongo] = [kafkaOf(settings), mongoOf(settings)]
  if (url !== undefined && kafka && mongo) return E.right({ url, kafka, mongo, stop: async () => {} })
  out('No bridge runs here: the demo starts one.')
  const closed = await closedDataDir(settings.dataDir)
  if (E.isLeft(closed)) return closed
  const servers = await serversFor(settings, out)
  if (E.isLeft(servers)) return servers
  const env = environmentWith({ HTTP_PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'error' })
  const pair = startPair(process.argv[1] ?? '', createLog('error'), env)
  pair.begin(servers.right)
  const stop = async () => {
    await pair.stop()
    await servers.right.stop()
  }
  const up = await pair.ready
  if ('exitCode' in up) {
    await stop()
    return E.left(up.reason)
  }
  return E.right({ ...servers.right, url: up.url, stop })
}

const portOf = (baseUrl: string) => {
  const { port, protocol } = new URL(baseUrl)
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message

type DemoOptions = { readonly odd?: number; readonly seed?: number; readonly say?: ReadonlyArray<string> }

/** Plays the demo. The exit code is 1 if a step has failed. */
export const demo = async ({ odd: share = 0, seed = randomInt(2 ** 32), say }: DemoOptions): Promise<number> => {
  const settings = await readSettings('make')
  if (settings === undefined) return exitOfWrongConfig
  const account = settings.accounts.find(isDemo)
  if (account === undefined) {
    console.error('The demo needs an account with webhooks and a bot.')
    return 1
  }
  const port = portOf(account.bot.baseUrl)
  const accounts = [serviceAccountOf(account)]
  const service = await startService({ port, accounts, odd: { share, seed } }).catch(codeOf)
  if (typeof service === 'string') {
    console.error(
      `The demo plays the chat service at 127.0.0.1:${port}, which ${service === 'EADDRINUSE' ? 'is in use' : `it cannot use: ${service}`}: stop the process that uses it, or set bot.baseUrl of the account.`,
    )
    return 1
  }
  const place = await findBridge(settings)
  if (E.isLeft(place)) {
    console.error(place.left)
    await service.stop()
    return 1
  }
  const { url, stop } = place.right
  await useProxy(settings.proxy)
  const kafka = kafkaFor('demo', place.right.kafka, settings)
  if (say !== undefined) {
    const log = createEventLog()
    const stopConsuming = await tailTopics(kafka, topicsOfTalk, log.add)
    const isAnswered = await talkToBot(linesOf(say, { input: process.stdin, output: process.stdout, out }), {
      bridgeUrl: url,
      account,
      service,
      log,
      out,
      sleep,
      now: monotonic,
    })
    await service.stop()
    await stopConsuming()
    await kafka.stop()
    await stop()
    return isAnswered ? 0 : 1
  }
  const mongo = connectMongo(place.right.mongo)
  if (share > 0) out(`Odd forms of ${share * 100} % of the events: --odd ${share} --seed ${seed} repeats them.`)
  const { failed } = await runDemo({
    bridgeUrl: url,
    account,
    consumeAll: (onRecord) =>
      tailTopics(
        kafka,
        topics.map(({ name }) => name),
        onRecord,
      ),
    produceReply: async (command) => {
      await kafka.append(
        {
          topic: 'bot-replies',
          key: `${command.accountId}/${command.chatId}`,
          value: JSON.stringify(command),
          headers: {},
        },
        5000,
      )
    },
    produceNote: async ({ key, value }) => {
      await kafka.append({ topic: 'enrichments', key, value: JSON.stringify(value), headers: {} }, 5000)
    },
    findView: mongo.query(readDocumentIn),
    out,
    service,
  })
  await service.stop()
  await kafka.stop()
  await mongo.stop()
  await stop()
  return failed === 0 ? 0 : 1
}
