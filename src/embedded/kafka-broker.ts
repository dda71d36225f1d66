import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Say } from './download.ts'
import { kafkaConfig } from './kafka-config.ts'
import { kafkaJars } from './kafka-jars.ts'
import { lastWords } from './last-words.ts'
import { rememberedPort } from './port.ts'
import { instead, type Problem, problem } from './problem.ts'
import { answers } from './readiness.ts'
import { run } from './run.ts'
import { type Running, runServer } from './server.ts'

// One node, small heap: the serial collector and the first compiler tier start fastest and are frugal.
const java = (jars: string) => [
  '-Xmx512m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:+ExitOnOutOfMemoryError',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  '-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS',
  '-cp',
  join(jars, '*'),
]

// ApiVersions v0, correlation id 1, no client id: the request that any broker answers before it knows who asks.
const apiVersions = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff])

/** A cluster id is 16 bytes in base64url; a leading dash would be read as an option. */
const newClusterId = () => randomBytes(16).toString('base64url').replace(/^-/, 'A')

const format = async (directory: string, jars: string): Promise<E.Either<Problem, unknown>> => {
  if (existsSync(join(directory, 'data', 'meta.properties'))) return E.right(undefined)
  const tool = ['kafka.tools.StorageTool', 'format', '-t', newClusterId(), '-c', 'server.properties']
  const outcome = await run('java', [...java(jars), ...tool], {
    cwd: directory,
  })
  return E.isRight(outcome)
    ? outcome
    : problem(`Kafka's data directory ${directory} cannot be prepared: ${lastWords(outcome.left.output)}`)
}

/**
 * Starts the Kafka broker whose data is in `directory`; its address is `127.0.0.1:port`. With `advertised`, clients are sent to
 * that port of a proxy in front of it.
 */
export const startKafka = async (
  directory: string,
  cacheDir: string,
  logFile: string,
  say: Say,
  advertised?: number,
): Promise<E.Either<Problem, Running>> => {
  const jars = await kafkaJars(cacheDir, say)
  if (E.isLeft(jars)) return jars
  await mkdir(directory, { recursive: true })
  return runServer({
    name: 'the Kafka broker',
    instead: instead.kafka,
    directory,
    logFile,
    prepare: async () => {
      const broker = await rememberedPort(join(directory, 'broker.port'))
      const controller = await rememberedPort(join(directory, 'controller.port'), broker)
      const ports = { broker, controller, ...(advertised !== undefined && { advertised }) }
      await writeFile(join(directory, 'server.properties'), kafkaConfig(ports))
      const formatted = await format(directory, jars.right)
      if (E.isLeft(formatted)) return formatted
      return E.right({
        port: broker,
        command: 'java',
        args: [...java(jars.right), 'kafka.Kafka', 'server.properties'],
        isReady: () => answers(broker, apiVersions),
      })
    },
  })
}
