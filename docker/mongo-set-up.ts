// Creates a replica set. Its arguments are the members; it runs beside the first one, on the same network. With
// MONGODB_ADMIN_PASSWORD_FILE it also creates an administrator, and the user of the URL in MONGODB_URL_FILE, with the
// password there. It can be repeated at any time.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, MongoClient, MongoServerError } from 'mongodb'

const members = process.argv.slice(2)
const { MONGODB_URL_FILE: urlFile, MONGODB_ADMIN_PASSWORD_FILE: adminFile } = process.env
const set = 'livechat'
const [alreadyInitialized, unauthorized, authenticationFailed, userExists] = [23, 13, 18, 51003]

/** Runs a command. An error with one of these codes is ignored: it says that the work is done already. */
const unless = (codes: ReadonlyArray<number>, work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!(error instanceof MongoServerError && codes.includes(Number(error.code)))) throw error
  })

const isPrimary = async (admin: Db): Promise<boolean> => (await admin.command({ hello: 1 })).isWritablePrimary === true

/** The first member has the highest priority, so that it becomes the primary of a new set. */
const initiate = async (admin: Db): Promise<void> => {
  const hosts = members.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 }))
  // If users exist, the server refuses this command without a login. Then the set exists as well.
  await unless([alreadyInitialized, unauthorized], admin.command({ replSetInitiate: { _id: set, members: hosts } }))
}

const logIn = (password: string) =>
  new MongoClient(`mongodb://${members.join(',')}/?replicaSet=${set}`, { auth: { username: 'admin', password } })

/** Creates the first user on the primary, which the first member becomes. An existing user must have this password. */
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

/** The bridge's user may read and write its own database only. Its password is set to that of the secret. */
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
  // `URL` cannot parse several hosts, so only the first one is kept.
  await createBridgeUser(read(adminFile), new URL(read(urlFile).replace(/,[^/]*/, '')))
}
while ((await admin.command({ hello: 1 })).primary === undefined) await sleep(100)
await client.close()
console.log(`the replica set ${set} of ${members.join(', ')} is ready`)
