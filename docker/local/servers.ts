import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { kafkaJars } from '../../src/tools/embedded/kafka-jars.ts'
import { findMongod } from '../../src/tools/embedded/mongod-binary.ts'
import { output, put, putFolder, putLibraries, putPrograms } from './rootfs.ts'

const cacheDir = fileURLToPath(new URL('../../.data/cache', import.meta.url))
const say = (line: string) => console.error(line)
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Creates folders that belong to the server's user. */
const owned = async (root: string, user: number, folders: ReadonlyArray<string>): Promise<void> => {
  for (const folder of folders) {
    await mkdir(join(root, folder), { recursive: true })
    await chown(join(root, folder), user, user)
  }
}

/** Replaces apache/kafka: the jars of `npm start` with their set-up from variables, and the Java of this machine. */
export const kafka = async (root: string): Promise<void> => {
  const jars = await kafkaJars(cacheDir, say)
  if (E.isLeft(jars)) throw new Error(jars.left.message)
  const settings = await output('java', '-XshowSettings:properties', '-version')
  const home = /java\.home = (.*)/.exec(settings)?.[1] ?? ''
  await putPrograms(root, ['bash', 'sh', 'env', 'cat', 'rm'])
  const unused = /\/(jmods|legal|man|include|docs|src\.zip|demo)$/
  await putFolder(root, home, '/opt/java', (path) => !unused.test(path))
  const parts = [
    'bin/java',
    'lib/server/libjvm.so',
    ...['net', 'nio', 'zip', 'java', 'management'].map((name) => `lib/lib${name}.so`),
  ]
  // Java's own libraries. The native codecs in the jars need the same system libraries as Node: threads and C++.
  await putLibraries(root, [...parts.map((part) => join(home, part)), process.execPath])
  await putFolder(root, jars.right, '/opt/kafka/libs')
  await put(root, script('kafka/run'), '/etc/kafka/docker/run')
  await owned(root, 1000, ['/opt/kafka/config', '/var/lib/kafka/data', '/mnt/shared/config', '/etc/kafka/secrets'])
}

/** Replaces mongo: the mongod of `npm start`. */
export const mongo = async (root: string): Promise<void> => {
  const mongod = await findMongod(cacheDir, say, process.env.MONGOD_BINARY)
  if (E.isLeft(mongod)) throw new Error(mongod.left.message)
  await putPrograms(root, ['bash', 'sh', 'cat', 'install'])
  await put(root, script('mongo/docker-entrypoint.sh'), '/usr/bin/docker-entrypoint.sh')
  await put(root, mongod.right, '/usr/bin/mongod')
  await putLibraries(root, [mongod.right])
  await owned(root, 999, ['/data/db', '/data/configdb'])
}

/** Replaces haproxy: Debian's package. */
export const haproxy = async (root: string): Promise<void> => {
  await putPrograms(root, ['haproxy'])
  await mkdir(join(root, 'usr/local/etc/haproxy'), { recursive: true })
}
