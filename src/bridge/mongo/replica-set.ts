import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type Db, MongoClient } from 'mongodb'
import type { Failure } from '../domain/log/record.ts'

type Config = {
  readonly version: number
  readonly members: ReadonlyArray<{ readonly host: string }>
}

const currentConfig = (admin: Db): Promise<Config | undefined> =>
  admin.command({ replSetGetConfig: 1 }).then(
    ({ config }) => config,
    () => undefined,
  )

/** One step towards a replica set of one member at `host`. The server refuses an early step: the caller retries it. */
const propose = async (admin: Db, host: string, name: string): Promise<void> => {
  const config = await currentConfig(admin)
  if (config === undefined) {
    await admin.command({
      replSetInitiate: { _id: name, members: [{ _id: 0, host }] },
    })
  } else if (config.members[0]?.host !== host) {
    const moved = {
      ...config,
      version: config.version + 1,
      members: [{ ...config.members[0], host }],
    }
    await admin.command({ replSetReconfig: moved, force: true })
  }
}

const isPrimary = async (admin: Db): Promise<boolean> => (await admin.command({ hello: 1 })).isWritablePrimary === true

/**
 * Makes the mongod at `host` (`127.0.0.1:port`) the only member of the replica set `name`, even if it had another port
 * before. Resolves when it is the primary, or with a `Left` if that takes longer than `withinMs`.
 */
export const initiateReplicaSet = async (
  host: string,
  name: string,
  withinMs: number,
): Promise<E.Either<Failure, void>> => {
  const deadline = Date.now() + withinMs
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: withinMs,
    socketTimeoutMS: withinMs,
  })
  let reason = 'mongod did not become the primary in time'
  try {
    const admin = client.db('admin')
    while (Date.now() < deadline) {
      if (await isPrimary(admin)) return E.right(undefined)
      await propose(admin, host, name).catch((error: Error) => {
        reason = error.message
      })
      await sleep(20)
    }
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
  } finally {
    await client.close()
  }
  return E.left({ kind: 'transient', reason })
}
