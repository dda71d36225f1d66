import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { initiateReplicaSet } from '../mongo/replica-set.ts'
import type { Say } from './download.ts'
import { findMongod } from './mongod-binary.ts'
import { rememberedPort } from './port.ts'
import { instead, type Problem, problem } from './problem.ts'
import { answers } from './readiness.ts'
import { type Running, runServer } from './server.ts'

const replicaSet = 'livechat'
// A set that moves to another port first looks for itself at the old one, half a minute if somebody silent is there.
const primaryWithinMs = 90_000

const options = (port: number) => [
  ...['--dbpath', 'data', '--port', `${port}`, '--bind_ip', '127.0.0.1', '--nounixsocket', '--quiet'],
  ...['--replSet', replicaSet, '--oplogSize', '256', '--wiredTigerCacheSizeGB', '0.25'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // A set of one has nobody to hand over to: no grace for clients before it steps down.
  ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=0'],
]

/** The URL for clients of the mongod at `address`. */
export const mongoUrl = (address: string): string => `mongodb://${address}/livechat?replicaSet=${replicaSet}`

/** Starts the mongod whose data is in `directory`, a replica set of one that has its primary. */
export const startMongod = async (
  directory: string,
  cacheDir: string,
  logFile: string,
  say: Say,
  chosen: string | undefined,
): Promise<E.Either<Problem, Running>> => {
  const binary = await findMongod(cacheDir, say, chosen)
  if (E.isLeft(binary)) return binary
  await mkdir(join(directory, 'data'), { recursive: true })
  const running = await runServer({
    name: 'mongod',
    instead: instead.mongod,
    directory,
    logFile,
    prepare: async () => {
      const port = await rememberedPort(join(directory, 'mongod.port'))
      return E.right({
        port,
        command: binary.right,
        args: options(port),
        isReady: () => answers(port),
      })
    },
  })
  if (E.isLeft(running)) return running
  const primary = await initiateReplicaSet(running.right.address, replicaSet, primaryWithinMs)
  if (E.isRight(primary)) return running
  await running.right.stop()
  return problem(`mongod has no primary: ${primary.left.reason}; see ${logFile}, or ${instead.mongod}`)
}
