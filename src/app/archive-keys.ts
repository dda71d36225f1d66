import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { openKeyFile, type WrappingKeys } from '../bridge/archive/key-file.ts'
import type { Settings } from './config.ts'

export const missingKeyFile =
  'ARCHIVE_KEY_FILE is not set: the archive needs the path of a JWK set, whose first key wraps the data keys'

/**
 * The wrapping keys of the archive; undefined if none are configured. With two embedded servers and `mayMake`, the
 * bridge makes a key file in DATA_DIR.
 */
export const wrappingKeysOf = (
  { archiveKeyFile, kafka, mongo, dataDir }: Pick<Settings, 'archiveKeyFile' | 'kafka' | 'mongo' | 'dataDir'>,
  mayMake: boolean,
): E.Either<string, WrappingKeys | undefined> => {
  if (archiveKeyFile !== undefined) return openKeyFile(archiveKeyFile, false)
  if (kafka !== 'embedded' || mongo !== 'embedded') return E.right(undefined)
  const path = join(dataDir, 'archive-keys.json')
  return mayMake || existsSync(path) ? openKeyFile(path, mayMake) : E.right(undefined)
}
