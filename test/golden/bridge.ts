// All that the replay takes from src. A move of files changes this file alone.
import type { IncomingRecord } from '../../src/bridge/domain/log/record.ts'
import './fixed.ts'
import * as E from 'fp-ts/lib/Either.js'
import { topics } from '../../contracts/topics.ts'
import { type Bridge, startBridge } from '../../src/app/bridge.ts'
import { readSettings, type Settings } from '../../src/app/config.ts'
import { createMetrics } from '../../src/app/metrics.ts'
import type { Ports } from '../../src/app/ports.ts'
import { openIngress } from '../../src/app/roles/ingress.ts'
import { consoleRoles } from '../../src/bridge/domain/accounts.ts'
import { now } from '../../src/bridge/domain/clock.ts'
import type { Role } from '../../src/bridge/domain/roles.ts'
import type { PostToService } from '../../src/bridge/egress/delivery/post.ts'
import { egress } from '../../src/bridge/egress/egress.ts'
import { createHttpServer } from '../../src/bridge/http/server.ts'
import { accessTokens } from '../../src/bridge/ingress/access-token.ts'
import { deadLetterFor } from '../../src/bridge/kafka/dead-letters.ts'
import { decodeRecord, fromCommand, fromRecord, toRecord } from '../../src/bridge/kafka/records.ts'
import type { WireRecord } from '../../src/bridge/kafka/wire-record.ts'
import { classify } from '../../src/bridge/mongo/classify.ts'
import { type Sleep, monotonic as systemMonotonic } from '../../src/bridge/shared/time.ts'
import { topicsOfViews, viewNames } from '../../src/bridge/views/index.ts'
import { projector } from '../../src/bridge/views/projector.ts'
import { routeNames } from '../../src/console/routes.ts'
import { right } from '../support/either.ts'
import { memoryViews } from '../support/memory-views.ts'
import { silent } from '../support/silent-log.ts'
import { storyViews } from '../support/stored-views.ts'

export { bridgeOf } from '../../src/tools/simulator/account.ts'
export * as botEvents from '../../src/tools/simulator/bot-events.ts'
export { oddForm } from '../../src/tools/simulator/odd-forms.ts'
export * as payloads from '../../src/tools/simulator/payloads.ts'
export { randomNumbers } from '../../src/tools/simulator/random.ts'
export { startService } from '../../src/tools/simulator/service.ts'
export type { Bridge, IncomingRecord, PostToService }
export const topicNames = topics.map(({ name }) => name)
export { consoleRoles, routeNames, storyViews, toRecord, viewNames }

/** The settings of the bridge in this environment, as a process reads them. */
export const settingsIn = async (env: Readonly<Record<string, string>>): Promise<Settings> => {
  Object.assign(process.env, env)
  const settings = await readSettings()
  if (settings === undefined) throw new Error('the settings of the replay are wrong')
  return settings
}

/** Runs roles on real servers in this process. */
export const runBridge = async (settings: Settings, roles: ReadonlyArray<Role>): Promise<Bridge> => {
  const { kafka, mongo } = settings
  if (kafka === 'embedded' || mongo === 'embedded') throw new Error('the replay needs the addresses of its servers')
  return right(await startBridge(settings, { kafka, mongo }, roles, silent))
}

let commands = 0
// Each command line listens to signals until its process ends, which is this one.
process.setMaxListeners(100)

/** Runs a command line in this process, as `livechat-bridge` does. */
export const runCommandLine = async (
  args: ReadonlyArray<string>,
): Promise<{ code: number; out: string; err: string }> => {
  const { argv, exit } = process
  const { log, error } = console
  const write = process.stderr.write
  const said = { out: '', err: '' }
  const { promise, resolve } = Promise.withResolvers<number>()
  process.argv = [argv[0] ?? '', 'livechat-bridge', ...args]
  process.exit = ((code = 0) => {
    resolve(Number(code))
    return new Promise(() => undefined)
  }) as never
  console.log = (line = '') => {
    said.out += `${line}
`
  }
  console.error = (line = '') => {
    said.err += `${line}
`
  }
  process.stderr.write = ((text: string) => {
    said.err += text
    return true
  }) as never
  try {
    // The module runs the arguments when it is loaded, and another query makes it load again.
    import(`../../src/app/program.ts?${commands++}`).catch((thrown) => {
      said.err += String(thrown)
      resolve(-1)
    })
    return { code: await promise, ...said }
  } finally {
    Object.assign(process, { argv, exit })
    Object.assign(console, { log, error })
    process.stderr.write = write
  }
}

type Given = {
  readonly settings: Settings
  readonly sleep: Sleep
  readonly monotonic: () => number
  readonly post: PostToService
}

/** A record that the log has, and where. */
const incoming = ({ topic, key, value, headers }: WireRecord, offset: number, timestamp: number): IncomingRecord => {
  const bytes = (part: Buffer | string | null) => (typeof part === 'string' ? Buffer.from(part) : part)
  return {
    topic,
    partition: 0,
    offset,
    epoch: 0,
    timestamp,
    key: bytes(key),
    value: bytes(value),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, Buffer.from([header].flat().at(-1) ?? '')]),
    ),
  }
}

/**
 * The bridge without servers: its ingress over HTTP, its projector and its egress on a log in memory, with one
 * partition for each topic. Time passes only in `sleep` and `monotonic`.
 */
export const bridgeInMemory = async ({ settings, sleep, monotonic, post }: Given) => {
  const { accounts } = settings
  const records: IncomingRecord[] = []
  const logs = Map.groupBy<IncomingRecord['topic'], IncomingRecord>([], ({ topic }) => topic)
  const logOf = (topic: IncomingRecord['topic']) => {
    const log = logs.get(topic) ?? []
    logs.set(topic, log)
    return log
  }
  const append = async (record: WireRecord) => {
    const log = logOf(record.topic)
    const appended = incoming(record, log.length, Date.now())
    log.push(appended)
    records.push(appended)
    return E.right(undefined)
  }
  const metrics = createMetrics()
  const { measure } = metrics
  const deadLetter = (consumer: string) =>
    deadLetterFor({ send: append, now, sleep, log: silent, measure }, () => false)(consumer)
  const tokens = accessTokens(accounts, now)
  const { applyChanges, documents } = memoryViews()

  // What needs a real MongoDB, enrichments and histories, is asked in the replay on servers.
  const ports = {
    settings,
    metrics,
    tokens,
    log: silent,
    kafka: { send: append, append, deadLetter },
    mongo: { query: () => async () => [] },
    missed: { applyToViews: async () => undefined },
  }
  const ingress = right(await openIngress(ports as unknown as Ports))
  const server = createHttpServer(
    { measure, log: silent, monotonic: systemMonotonic },
    (limits) => ingress.routers(limits),
    {
      leaveMs: 0,
      closeOnNextResponseMs: 0,
      graceMs: 0,
    },
  )
  const { port } = right(await server.listen('127.0.0.1', 0))

  const fold = projector({
    decode: decodeRecord,
    applyChanges,
    findErased: async () => new Set(),
    classify,
    deadLetter: deadLetter('projector'),
    measure,
    hasRoom: () => true,
    clock: monotonic,
    wallMs: Date.now,
  })
  const folded = new Map<string, number>()

  let busy = 0
  const worker = egress({
    accounts,
    readDocument: (async (view: string, id: string) => documents()[`${view} ${id}`]) as never,
    openTurns: async () => [],
    publish: async (event) => append(toRecord(event)),
    deadLetter: deadLetter('egress'),
    reroute: async () => false,
    decodeCommand: fromCommand,
    decodeEvent: fromRecord,
    fetchCommands: async (_, from) => ({ from, records: logOf('bot-replies').slice(from) }),
    endOffsets: async (topic) => new Map([[0, logOf(topic).length]]),
    viewsEnd: async () => () => ({ offset: folded.get('bot-conversations') ?? 0, isOfThisLog: true }),
    // The signature is made by another thread. Meanwhile no time may pass.
    issueToken: async (account) => {
      busy++
      return tokens.issue(account).finally(() => busy--)
    },
    post,
    measure,
    log: silent,
    now,
    sleep,
    random: () => 0.5,
    monotonic,
  })
  const owned = { isCurrent: () => true, done: () => undefined, pause: () => () => undefined }
  const { spec } = worker
  const read = new Map(
    await Promise.all(spec.topics.map(async (topic) => [topic, (await spec.startAt?.(topic, 0)) ?? 0] as const)),
  )
  for (const topic of spec.topics) spec.onOwned?.(topic, 0, owned)

  /** Gives every consumer its new records. False if there were none. */
  const deliver = async (): Promise<boolean> => {
    let isNew = false
    for (const topic of topicsOfViews(viewNames)) {
      const news = logOf(topic).slice(folded.get(topic) ?? 0)
      if (news.length === 0) continue
      isNew = true
      await fold({ topic, partition: 0, records: news }, owned)
      folded.set(topic, (folded.get(topic) ?? 0) + news.length)
    }
    for (const topic of spec.topics) {
      const news = logOf(topic).slice(read.get(topic) ?? 0)
      if (news.length === 0) continue
      isNew = true
      read.set(topic, (read.get(topic) ?? 0) + news.length)
      await spec.handle({ topic, partition: 0, records: news }, owned)
    }
    return isNew || busy > 0
  }
  return {
    url: `http://127.0.0.1:${port}`,
    append,
    records,
    documents,
    deliver,
    stop: async () => {
      await server.stop()
      await ingress.stop()
      await worker.stop()
    },
  }
}
