// Makes a replica set of the members that are its arguments, run beside the first of them; with MONGODB_ADMIN_PASSWORD_FILE
// also an administrator, and the user and password of the URL in MONGODB_URL_FILE. It can be repeated at any time.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, MongoClient, MongoServerError } from 'mongodb'

const members = process.argv.slice(2)
const { MONGODB_URL_FILE: urlFile, MONGODB_ADMIN_PASSWORD_FILE: adminFile } = process.env
const set = 'livechat'
const [alreadyInitialized, unauthorized, authenticationFailed, userExists] = [23, 13, 18, 51003]

/** Runs a command unless it fails with one of these codes, which say that its work is done. */
const unless = (codes: ReadonlyArray<number>, work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!(error instanceof MongoServerError && codes.includes(Number(error.code)))) throw error
  })

const isPrimary = async (admin: Db): Promise<boolean> => (await admin.command({ hello: 1 })).isWritablePrimary === true

/** The first member is preferred, so that it is the one that becomes the primary of a new set. */
const initiate = async (admin: Db): Promise<void> => {
  const hosts = members.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 }))
  // Where users exist, a stranger may not even ask: the set exists as well then.
  await unless([alreadyInitialized, unauthorized], admin.command({ replSetInitiate: { _id: set, members: hosts } }))
}

const logIn = (password: string) =>
  new MongoClient(`mongodb://${members.join(',')}/?replicaSet=${set}`, { auth: { username: 'admin', password } })

/** The first user is made on the primary, which the first member becomes; users that exist are asked for the password. */
const createAdmin = async (admin: Db, password: string): Promise<void> => {
  for (;;) {
    const client = logIn(password)
    const refused = await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    )
    await client.close()
    if (refused === undefined) return
    if (!(refused instanceof MongoServerError && refused.code === authenticationFailed)) throw refused
    if (await isPrimary(admin)) await admin.command({ createUser: 'admin', pwd: password, roles: ['root'] })
    else await sleep(200)
  }
}

/** The bridge's user may read and write its own database and nothing else; its password follows the secret. */
const createBridgeUser = async (adminPassword: string, url: URL): Promise<void> => {
  const client = logIn(adminPassword)
  const admin = client.db('admin')
  const user = decodeURIComponent(url.username)
  const settings = { pwd: decodeURIComponent(url.password), roles: [{ role: 'readWrite', db: url.pathname.slice(1) }] }
  await unless([userExists], admin.command({ createUser: user, ...settings }))
  await admin.command({ updateUser: user, ...settings })
  await client.close()
}

const read = (file: string) => readFileSync(file, 'utf8').trimEnd()

const client = new MongoClient('mongodb://127.0.0.1:27017/?directConnection=true')
const admin = client.db('admin')
await initiate(admin)
if (adminFile !== undefined && urlFile !== undefined) {
  await createAdmin(admin, read(adminFile))
  // With several hosts it is no URL for everybody; the first stands for them.
  await createBridgeUser(read(adminFile), new URL(read(urlFile).replace(/,[^/]*/, '')))
}
while ((await admin.command({ hello: 1 })).primary === undefined) await sleep(100)
await client.close()
console.log(`the replica set ${set} of ${members.join(', ')} is there`)
