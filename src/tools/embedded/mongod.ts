import { mkdir } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../bridge/domain/log/record.ts'
import type { Initiate } from '../../bridge/mongo/replica-set-thread.ts'
import type { Say } from './download.ts'
import { findMongod } from './mongod-binary.ts'
import { choosePort } from './port.ts'
import { instead, type Problem, problem } from './problem.ts'
import { isListening, type Running, runServer } from './server.ts'

const replicaSet = 'livechat'
// After a change of port, the set first looks for itself at the old one. That takes 30 s if a silent process is there.
const primaryWithinMs = 90_000

const gibibyte = 1024 ** 3

/**
 * WiredTiger's cache: an eighth of the memory, at least 0.25 GB (mongod's minimum), at most 1 GB. With 0.25 GB it
 * evicts new data during writes once a store has about 100,000 events. With 1 GB it does not even at a million.
 */
export const cacheGigabytes = (memoryBytes: number): string =>
  Math.min(1, Math.max(0.25, memoryBytes / 8 / gibibyte)).toFixed(2)

/** The memory of the machine, or the limit of the container. */
const memoryBytes = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

/** What every mongod is started with: here, and where tests start a replica set of several. */
export const mongodOptions = (
  port: number,
  set: { readonly name: string; readonly oplogMegabytes: number; readonly cacheGigabytes: string },
): ReadonlyArray<string> => [
  '--dbpath',
  'data',
  '--port',
  `${port}`,
  '--bind_ip',
  '127.0.0.1',
  '--nounixsocket',
  '--quiet',
  '--replSet',
  set.name,
  '--oplogSize',
  `${set.oplogMegabytes}`,
  '--wiredTigerCacheSizeGB',
  set.cacheGigabytes,
  '--setParameter',
  'diagnosticDataCollectionEnabled=false',
]

const options = (port: number) => [
  ...mongodOptions(port, { name: replicaSet, oplogMegabytes: 256, cacheGigabytes: cacheGigabytes(memoryBytes()) }),
  // A set of one has no other member that could take over, so it need not wait before it steps down.
  '--setParameter',
  'shutdownTimeoutMillisForSignaledShutdown=0',
]

/**
 * Most of its work is for the views, which may lag: what must answer at once goes first. Not more than this, since
 * everything else on the machine goes first too: with 19 it once did not answer for two seconds.
 */
const niceOfMongod = 5

/** The client URL of the mongod at `address`. */
export const mongoUrl = (address: string): string => `mongodb://${address}/livechat?replicaSet=${replicaSet}`

/**
 * In a thread, which gives its memory back when it ends: the process that starts the servers needs MongoDB's driver for
 * this alone, and runs for as long as they do.
 */
const initiateReplicaSet = (given: Initiate): Promise<E.Either<Failure, void>> =>
  new Promise((resolve) => {
    const file = new URL(`../../bridge/mongo/replica-set-thread${extname(import.meta.filename)}`, import.meta.url)
    const failed = (reason: string) => resolve(E.left({ kind: 'transient', reason }))
    new Worker(file, { workerData: given })
      .once('message', resolve)
      .once('error', (error) => failed(error instanceof Error ? error.message : String(error)))
      .once('exit', () => failed('the thread ended'))
  })

/** Starts the mongod with its data in `directory`, as a replica set of one. Waits until it has a primary. */
export const startMongod = async (
  directory: string,
  cacheDir: string,
  logFile: string,
  say: Say,
  chosen: string | undefined,
  preferred?: number,
): Promise<E.Either<Problem, Running>> => {
  const binary = await findMongod(cacheDir, say, chosen)
  if (E.isLeft(binary)) return binary
  await mkdir(join(directory, 'data'), { recursive: true })
  const running = await runServer({
    name: 'mongod',
    instead: instead.mongod,
    directory,
    logFile,
    nice: niceOfMongod,
    prepare: async () => {
      const port = await choosePort(join(directory, 'mongod.port'), { preferred })
      return E.right({
        port,
        command: binary.right,
        args: options(port),
        isReady: () => isListening(port),
      })
    },
  })
  if (E.isLeft(running)) return running
  const primary = await initiateReplicaSet({
    host: running.right.address,
    name: replicaSet,
    withinMs: primaryWithinMs,
  })
  if (E.isRight(primary)) return running
  await running.right.stop()
  return problem(`mongod has no primary: ${primary.left.reason}; see ${logFile}, or ${instead.mongod}`)
}
