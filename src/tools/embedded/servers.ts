import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { makeFolders } from '../../bridge/shared/private-files.ts'
import type { Say } from './download.ts'
import { startKafka } from './kafka-broker.ts'
import { checkMaven } from './kafka-jars.ts'
import { checkJava, isFormatted } from './kafka-node.ts'
import { mongoUrl, startMongod } from './mongod.ts'
import { type Problem, problem } from './problem.ts'
import type { Running } from './server.ts'

type EmbeddedOptions = {
  /** Contains the servers' data, remembered ports and logs (`logs/kafka.log`, `logs/mongod.log`). */
  readonly dataDir: string
  /** Contains downloads. Default: `dataDir/cache`. Several bridges can share it. */
  readonly cacheDir?: string
  readonly kafka: boolean
  readonly mongo: boolean
  /** Gets messages about downloads, line by line. */
  readonly say: Say
  /** The path of a mongod to use instead of a downloaded one. */
  readonly mongodBinary?: string
  /** The ports to use if they are free. */
  readonly preferredPorts?: { readonly kafka: number; readonly mongo: number }
}

export type Embedded = {
  /** Each is `host:port`. Present if a broker was requested. */
  readonly brokers?: ReadonlyArray<string>
  /** Contains the replica set and the database. Present if a mongod was requested. */
  readonly mongoUrl?: string
  /** Ends the servers, gracefully if possible. Afterwards none of their processes runs. */
  readonly stop: () => Promise<void>
}

const notAskedFor: E.Either<Problem, undefined> = E.right(undefined)

const writable = async (directory: string): Promise<E.Either<Problem, void>> => {
  try {
    makeFolders(directory, 0o777)
    await access(directory, constants.W_OK)
    return E.right(undefined)
  } catch {
    return problem(`${directory} cannot be written: set DATA_DIR to a directory that can`)
  }
}

/** Turns unexpected errors, such as a full disk, into a problem. */
const orProblem = <A>(start: Promise<E.Either<Problem, A>>, dataDir: string): Promise<E.Either<Problem, A>> =>
  start.catch((error: Error) =>
    problem(`${dataDir} cannot be used: ${error.message}; set DATA_DIR to another directory`),
  )

const both = async (kafka: Running | undefined, mongod: Running | undefined): Promise<Embedded> => ({
  ...(kafka && { brokers: [kafka.address] }),
  ...(mongod && { mongoUrl: mongoUrl(mongod.address) }),
  stop: async () => {
    await Promise.all([kafka?.stop(), mongod?.stop()])
  },
})

/**
 * Starts the requested servers, a Kafka broker and a mongod, on loopback and in parallel. Resolves when they are ready.
 * Left has one line for each server that cannot run, and then no server runs. The servers always end with this process.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<E.Either<Problem, Embedded>> => {
  const dataDir = resolve(options.dataDir)
  const cacheDir = resolve(options.cacheDir ?? join(dataDir, 'cache'))
  const { say, preferredPorts } = options
  const log = (name: string) => join(dataDir, 'logs', name)
  for (const directory of [join(dataDir, 'logs'), cacheDir]) {
    const possible = await writable(directory)
    if (E.isLeft(possible)) return possible
  }
  const kafkaDir = join(dataDir, 'kafka')
  // Java takes a while to tell its version. Where it has run the broker before, it is asked only if the broker fails.
  const hasRun = isFormatted(kafkaDir)
  const needed = options.kafka && !hasRun ? await Promise.all([checkJava(), checkMaven(cacheDir)]) : []
  const lacking = needed.flatMap((each) => (E.isLeft(each) ? [each.left.message] : []))
  if (lacking.length > 0) return problem(lacking.join('\n'))
  const startBroker = async (): Promise<E.Either<Problem, Running>> => {
    const broker = await orProblem(
      startKafka(kafkaDir, cacheDir, log('kafka.log'), say, { preferred: preferredPorts?.kafka }),
      dataDir,
    )
    const cause = E.isLeft(broker) && hasRun ? await checkJava() : notAskedFor
    return E.isLeft(cause) ? cause : broker
  }
  const [kafka, mongod] = await Promise.all([
    options.kafka ? startBroker() : notAskedFor,
    options.mongo
      ? orProblem(
          startMongod(
            join(dataDir, 'mongod'),
            cacheDir,
            log('mongod.log'),
            say,
            options.mongodBinary,
            preferredPorts?.mongo,
          ),
          dataDir,
        )
      : notAskedFor,
  ])
  if (E.isRight(kafka) && E.isRight(mongod)) return E.right(await both(kafka.right, mongod.right))
  const failed = [kafka, mongod].filter(E.isLeft)
  await Promise.all([kafka, mongod].filter(E.isRight).map((running) => running.right?.stop()))
  return problem([...new Set(failed.map(({ left }) => left.message))].join('\n'))
}
