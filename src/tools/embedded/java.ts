import * as E from 'fp-ts/lib/Either.js'
import { instead, type Problem, problem } from './problem.ts'
import { run } from './run.ts'

const oldest = 17
const remedy = `install Java ${oldest} (Debian: apt install openjdk-17-jre-headless), or ${instead.kafka}`

/** The major version that `java -version` prints. Java 8 and older print 1.8. */
export const javaVersion = (output: string): number => {
  const [, first = '0', second = '0'] = /version "(\d+)(?:\.(\d+))?/.exec(output) ?? []
  return Number(first === '1' ? second : first)
}

/** Checks that the Java on the PATH can run Kafka. */
export const checkJava = async (): Promise<E.Either<Problem, void>> => {
  const outcome = await run('java', ['-version'])
  if (E.isLeft(outcome)) return problem(`Java is missing, which runs the Kafka broker: ${remedy}`)
  const version = javaVersion(outcome.right)
  return version >= oldest ? E.right(undefined) : problem(`Java ${version} is too old for the Kafka broker: ${remedy}`)
}
