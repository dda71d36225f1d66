import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { DryMongoBinary } from 'mongodb-memory-server-core/lib/util/DryMongoBinary.js'
import { DEFAULT_VERSION } from 'mongodb-memory-server-core/lib/util/resolveConfig.js'
import type { Say } from './download.ts'
import { run } from './run.ts'

const fetcher = fileURLToPath(new URL(`fetch-from-mongodb${extname(import.meta.url)}`, import.meta.url))

/** The mongod that mongodb-memory-server has on this machine, if there is one. */
export const locateMongod = async (downloadDir: string): Promise<string | undefined> => {
  try {
    return await DryMongoBinary.locateBinary({
      version: DEFAULT_VERSION,
      downloadDir,
    })
  } catch {
    return undefined
  }
}

// Without the first, the library does not check the site's certificate. Without the second, it retries for a minute.
const settings = ['npm_config_strict_ssl=true', 'MONGOMS_MAX_RETRIES=1', 'MONGOMS_MD5_CHECK=true']
const silenceMs = 15_000

/** A mongod from MongoDB's own site. Undefined if the site cannot be reached or has none for this system. */
export const fetchFromMongodb = async (downloadDir: string, say: Say): Promise<string | undefined> => {
  const onOutput = (text: string) => {
    // The library prints its percentage several times a second, which only a terminal should show.
    if (process.stdout.isTTY && text.startsWith('Downloading')) say(text.trim())
  }
  const outcome = await run('env', [...settings, process.execPath, fetcher, downloadDir], { silenceMs, onOutput })
  return E.isRight(outcome) ? locateMongod(downloadDir) : undefined
}
