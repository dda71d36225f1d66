import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { instead, missing, type Problem, problem } from './problem.ts'
import { run } from './run.ts'
import { answersRequest, type Running, runServer } from './server.ts'
import { stderrTail } from './stderr-tail.ts'

const oldestJava = 17

/** The major version that `java -version` prints. Java 8 and older print 1.8. */
export const javaVersion = (output: string): number => {
  const [, first = '0', second = '0'] = /version "(\d+)(?:\.(\d+))?/.exec(output) ?? []
  return Number(first === '1' ? second : first)
}

/** Checks that the Java on the PATH can run Kafka. */
export const checkJava = async (): Promise<E.Either<Problem, void>> => {
  const outcome = await run('java', ['-version'])
  if (E.isLeft(outcome)) return missing('Java', 'runs the Kafka broker', instead.kafka)
  const version = javaVersion(outcome.right)
  return version >= oldestJava
    ? E.right(undefined)
    : problem(
        `Java ${version} is too old for the Kafka broker: install Java ${oldestJava} or later (Debian, Ubuntu, WSL: sudo apt install openjdk-17-jre-headless; macOS: brew install --cask temurin@17), or ${instead.kafka}`,
      )
}

/** One Kafka process that is broker and controller. */
type KafkaNode = {
  readonly name: string
  /** Contains the data and `server.properties`. */
  readonly directory: string
  readonly logFile: string
  readonly jars: string
  /** The maximum heap size, in MiB. */
  readonly heap: number
  /** The same for each node of a cluster. */
  readonly clusterId: string
  /** More options for formatting the storage, such as SCRAM users. */
  readonly formatWith?: ReadonlyArray<string>
  /** Called when no other process uses the directory. The node responds without TLS at `port`. */
  readonly configure: () => Promise<{ readonly port: number; readonly properties: string }>
}

// For a small heap: the serial collector and the first compiler tier start fastest and use little memory.
const javaOptions = (jars: string, heap: number) => [
  `-Xmx${heap}m`,
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:+ExitOnOutOfMemoryError',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  '-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS',
  '-cp',
  join(jars, '*'),
]

// ApiVersions v0, correlation id 1, no client id. Any broker answers this request before authentication.
const apiVersions = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff])

/** Whether a broker has run on this directory before. */
export const isFormatted = (directory: string): boolean => existsSync(join(directory, 'data', 'meta.properties'))

const format = async ({
  directory,
  jars,
  heap,
  clusterId,
  formatWith = [],
}: KafkaNode): Promise<E.Either<Problem, unknown>> => {
  if (isFormatted(directory)) return E.right(undefined)
  const tool = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', 'server.properties', ...formatWith]
  const outcome = await run('java', [...javaOptions(jars, heap), ...tool], { cwd: directory })
  return E.isRight(outcome)
    ? outcome
    : problem(`Kafka's data directory ${directory} cannot be prepared: ${stderrTail(outcome.left.output)}`)
}

/** Starts a node on its directory, and waits until it responds. */
export const runKafkaNode = async (node: KafkaNode): Promise<E.Either<Problem, Running>> => {
  const { name, directory, logFile, jars, heap, configure } = node
  await mkdir(directory, { recursive: true })
  return runServer({
    name,
    instead: instead.kafka,
    directory,
    logFile,
    prepare: async () => {
      const { port, properties } = await configure()
      await writeFile(join(directory, 'server.properties'), properties)
      const formatted = await format(node)
      if (E.isLeft(formatted)) return formatted
      return E.right({
        port,
        command: 'java',
        args: [...javaOptions(jars, heap), 'kafka.Kafka', 'server.properties'],
        isReady: () => answersRequest(port, apiVersions),
      })
    },
  })
}
