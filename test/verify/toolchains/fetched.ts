import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { fetchOnce } from '../../../src/tools/embedded/download.ts'
import { digestOf } from '../../../src/tools/embedded/pins.ts'
import { type Problem, problem } from '../../../src/tools/embedded/problem.ts'
import { run } from '../../../src/tools/embedded/run.ts'
import { cacheDir } from '../../support/servers.ts'

const say = (line: string) => console.log(line)

/** Why a command cannot run here, in one sentence; undefined if it runs. */
export const lacking = async (command: string, args: ReadonlyArray<string>): Promise<string | undefined> => {
  const outcome = await run(command, args)
  if (E.isRight(outcome)) return undefined
  return outcome.left.missing ? `there is no command ${command}` : `${command} fails to run`
}

/** Installs Debian's package if its command is missing and this user may. Returns what is still missing, in words. */
export const debianPackage = async (
  name: string,
  command: string,
  args = ['--version'],
): Promise<string | undefined> => {
  const missing = await lacking(command, args)
  if (missing === undefined) return undefined
  if (process.getuid?.() !== 0) return `${missing}, and only root may install Debian's ${name}`
  say(`Installing ${name} …`)
  // The package would start its server. This run level prevents that.
  const apt = ['RUNLEVEL=1', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '--quiet']
  await run('env', [...apt, 'update'])
  await run('env', [...apt, 'install', '--yes', '--no-install-recommends', name])
  return lacking(command, args)
}

const mustRun = async (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string,
): Promise<E.Either<Problem, unknown>> => {
  const outcome = await run(command, args, { cwd, silenceMs: 600_000 })
  if (E.isRight(outcome)) return outcome
  if (outcome.left.missing) return problem(`there is no command ${command}`)
  return problem(outcome.left.output.split('\n').find((line) => /error/i.test(line)) ?? `${command} failed`)
}

/** Installs a package from npm's registry outside the project. Returns the path of a file that can resolve it. */
export const npmPackage = async (name: string, version: string): Promise<E.Either<Problem, string>> => {
  const fetched = await fetchOnce({
    target: resolve(cacheDir, `npm-${name.replace('/', '-')}-${version}`),
    what: `${name} ${version} with npm`,
    say,
    fetch: async (directory) => {
      await writeFile(join(directory, 'package.json'), '{ "private": true }')
      return mustRun('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`], directory)
    },
  })
  return E.map((directory: string) => join(directory, 'package.json'))(fetched)
}

/** The jars that a pom.xml depends on, fetched by Maven. */
export const mavenJars = async (name: string, pom: string): Promise<E.Either<Problem, string>> => {
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
  const quiet = ['--batch-mode', '--quiet', '-Dstyle.color=never', `--file=${pom}`, '-DincludeScope=compile']
  return fetchOnce({
    target: resolve(cacheDir, `maven-${name}-${await digestOf(pom)}`),
    what: `the jars of ${name} with Maven`,
    say,
    fetch: (directory) => mustRun('mvn', [...quiet, `-DoutputDirectory=${directory}`, goal], directory),
  })
}

/** Without optimizations, a third less of the minutes that compiling takes: the programs run for seconds only. */
const quickly = '-gcflags=all=-N -l'

/** OpenTelemetry's Collector with the parts that the tests need, built by Go. Returns the path of the program. */
export const collector = async (): Promise<E.Either<Problem, string>> => {
  const version = 'v0.159.0'
  const builder = `go.opentelemetry.io/collector/cmd/builder@${version}`
  const fetched = await fetchOnce({
    target: resolve(cacheDir, `otelcol-${version}`),
    what: `OpenTelemetry's Collector ${version} with Go, for minutes`,
    say,
    fetch: async (directory) => {
      const module = (path: string) => ({ gomod: `go.opentelemetry.io/collector/${path} ${version}` })
      const config = {
        // `debug_compilation` is the builder's word for the same flags.
        dist: { name: 'otelcol', output_path: './build', debug_compilation: true },
        receivers: [module('receiver/otlpreceiver')],
        exporters: [module('exporter/debugexporter')],
      }
      await writeFile(join(directory, 'builder.yaml'), JSON.stringify(config))
      return mustRun('go', ['run', builder, '--config', 'builder.yaml'], directory)
    },
  })
  return E.map((directory: string) => join(directory, 'build/otelcol'))(fetched)
}

/** A command that Go installs from a module. Returns the path of the program. */
export const goProgram = async (module: string, version: string): Promise<E.Either<Problem, string>> => {
  const missing = await lacking('go', ['version'])
  if (missing !== undefined) return problem(missing)
  const name = module.split('/').at(-1) ?? ''
  const fetched = await fetchOnce({
    target: resolve(cacheDir, `${name}-${version}`),
    what: `${name} ${version} with Go, for minutes`,
    say,
    fetch: (directory) =>
      mustRun('env', [`GOBIN=${directory}`, 'go', 'install', quickly, `${module}@${version}`], directory),
  })
  return E.map((directory: string) => join(directory, name))(fetched)
}

/** The sources of a Go module. Returns their folder. */
export const goModule = async (module: string, version: string): Promise<E.Either<Problem, string>> => {
  const missing = await lacking('go', ['version'])
  if (missing !== undefined) return problem(missing)
  const download = await run('go', ['mod', 'download', '-json', `${module}@${version}`], {
    cwd: tmpdir(),
    silenceMs: 600_000,
  })
  if (E.isLeft(download)) return problem(`go cannot download ${module}`)
  return E.right(JSON.parse(download.right.slice(download.right.indexOf('{'))).Dir)
}

/** A folder with the files of a Python package, without its dependencies. */
export const pythonPackage = async (name: string, version: string): Promise<E.Either<Problem, string>> =>
  fetchOnce({
    target: resolve(cacheDir, `${name}-${version}`),
    what: `${name} ${version} from PyPI with pip`,
    say,
    fetch: (directory) =>
      mustRun(
        'python3',
        ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', directory, `${name}==${version}`],
        directory,
      ),
  })

/** A folder with Jackson and the generator of OpenAPI clients. It requires a Java compiler. */
export const javaTools = async (): Promise<E.Either<Problem, string>> => {
  const missing = await lacking('javac', ['-version'])
  return missing === undefined
    ? mavenJars('java-tools', fileURLToPath(new URL('java/pom.xml', import.meta.url)))
    : problem(missing)
}

/** A folder with the content of an archive from Maven, given as `group:name:version:type[:classifier]`. */
export const mavenArchive = async (artifact: string): Promise<E.Either<Problem, string>> => {
  const missing = await lacking('mvn', ['--version'])
  if (missing !== undefined) return problem(missing)
  const [, name = '', version = ''] = artifact.split(':')
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack'
  const quiet = ['--batch-mode', '--quiet', '-Dstyle.color=never', `-Dartifact=${artifact}`]
  return fetchOnce({
    target: resolve(cacheDir, `${name}-${version}`),
    what: `${name} ${version} with Maven`,
    say,
    fetch: (directory) => mustRun('mvn', [...quiet, `-DoutputDirectory=${directory}`, goal], directory),
  })
}

/** The path of a Java runtime of this version or a later one. */
export const javaOf = async (wanted: number): Promise<E.Either<Problem, string>> => {
  for (const java of ['java', ...globSync('/usr/lib/jvm/*/bin/java')]) {
    const outcome = await run(java, ['--version'])
    const version = E.isRight(outcome) ? Number(/^\S+ (\d+)/.exec(outcome.right)?.[1]) : 0
    if (version >= wanted) return E.right(java)
  }
  return problem(`there is no Java ${wanted}`)
}
