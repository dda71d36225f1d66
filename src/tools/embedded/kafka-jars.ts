import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { fetchOnce, type Say } from './download.ts'
import { digestOf, mismatches, pins } from './pins.ts'
import { instead, missing, type Problem, problem } from './problem.ts'
import { run } from './run.ts'

const remedy = `or ${instead.kafka}`
const mavenMissing = missing('Maven', 'fetches Kafka', instead.kafka)

/** The root cause, which Maven prints last on its first error line. */
const mavenSaid = (output: string) =>
  /\[ERROR\] (.*?)(?: -> \[Help.*)?$/m
    .exec(output)?.[1]
    ?.split(/: (?=transfer failed|Could not|Failed to|Checksum)/)
    .at(-1) ?? 'it gave no reason'

const copyJars = async (directory: string): Promise<E.Either<Problem, unknown>> => {
  const outcome = await run('mvn', [
    '--batch-mode',
    '--quiet',
    '--strict-checksums',
    `--file=${pins.pom}`,
    '-Dstyle.color=never',
    '-DincludeScope=runtime',
    `-DoutputDirectory=${directory}`,
    'org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies',
  ])
  if (E.isRight(outcome)) return outcome
  return outcome.left.missing
    ? mavenMissing
    : problem(
        `Maven could not fetch Kafka: ${mavenSaid(outcome.left.output)}; check the network and try again, ${remedy}`,
      )
}

const verify = async (directory: string): Promise<E.Either<Problem, unknown>> => {
  const wrong = await mismatches(directory, await readFile(pins.jars, 'utf8'))
  return wrong.length === 0
    ? E.right(undefined)
    : problem(
        `Kafka was refused, its files are not the expected ones (${wrong.join(', ')}): delete them from ~/.m2/repository and try again, ${remedy}`,
      )
}

const versionOf = async () => /<kafka\.version>(.*)<\/kafka\.version>/.exec(await readFile(pins.pom, 'utf8'))?.[1] ?? ''
const targetOf = async (cacheDir: string) => join(cacheDir, `kafka-${await versionOf()}-${await digestOf(pins.jars)}`)

/** Checks that Maven is there, unless an earlier start has fetched the jars. */
export const checkMaven = async (cacheDir: string): Promise<E.Either<Problem, unknown>> => {
  if (existsSync(await targetOf(cacheDir))) return E.right(undefined)
  const outcome = await run('mvn', ['--version'])
  return E.isLeft(outcome) && outcome.left.missing ? mavenMissing : E.right(undefined)
}

/** The directory of Kafka's jars in the cache. Maven fetches them; their checksums must match the pinned ones. */
export const kafkaJars = async (cacheDir: string, say: Say): Promise<E.Either<Problem, string>> =>
  fetchOnce({
    target: await targetOf(cacheDir),
    what: `Kafka ${await versionOf()} (43 MB) with Maven`,
    say,
    fetch: async (directory) => {
      const copied = await copyJars(directory)
      return E.isLeft(copied) ? copied : verify(directory)
    },
  })
