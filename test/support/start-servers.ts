import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { startEmbedded } from '../../src/tools/embedded/servers.ts'

type Wanted = {
  readonly cacheDir: string
  readonly kafka: boolean
  readonly mongo: boolean
  readonly say: (line: string) => void
}

export type StartedServers = {
  readonly brokers?: ReadonlyArray<string>
  readonly mongoUrl?: string
  readonly stop: () => Promise<void>
}

const embedded = async (wanted: Wanted): Promise<StartedServers> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'livechat-servers-'))
  const mongodBinary = process.env.MONGOD_BINARY
  const started = await startEmbedded({ ...wanted, dataDir, ...(mongodBinary !== undefined && { mongodBinary }) })
  const clear = () => rm(dataDir, { recursive: true, force: true })
  if (E.isLeft(started)) {
    await clear()
    throw new Error(started.left.message)
  }
  return { ...started.right, stop: () => started.right.stop().then(clear) }
}

/** Starts servers for tests, embedded or in containers. The library for containers is loaded only if it is needed. */
export const startServers = async (place: string, wanted: Wanted): Promise<StartedServers> => {
  if (place === 'embedded') return embedded(wanted)
  if (place === 'containers') return (await import('./containers.ts')).startContainers()
  throw new Error(`TEST_ON is ${place}: expected embedded, containers, or both with a comma`)
}
