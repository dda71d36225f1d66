import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { fetchOnce, type Say } from './download.ts'
import { digestOf, mismatches, pins } from './pins.ts'
import { instead, type Problem, problem } from './problem.ts'
import { run } from './run.ts'

const remedy = `or ${instead.kafka}`

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
    ? problem(`Maven is missing, which fetches Kafka: install it (Debian: apt install maven), ${remedy}`)
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

/** The directory of Kafka's jars in the cache. Maven fetches them; their checksums must match the pinned ones. */
export const kafkaJars = async (cacheDir: string, say: Say): Promise<E.Either<Problem, string>> => {
  const version = /<kafka\.version>(.*)<\/kafka\.version>/.exec(await readFile(pins.pom, 'utf8'))?.[1] ?? ''
  return fetchOnce({
    target: join(cacheDir, `kafka-${version}-${await digestOf(pins.jars)}`),
    what: `Kafka ${version} (43 MB) with Maven`,
    say,
    fetch: async (directory) => {
      const copied = await copyJars(directory)
      return E.isLeft(copied) ? copied : verify(directory)
    },
  })
}
