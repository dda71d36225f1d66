import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeBase, runtimeBase } from './bases.ts'
import { output } from './rootfs.ts'
import { haproxy, kafka, mongo } from './servers.ts'

type Image = {
  /** The variable that chooses the image, in the Dockerfile and the compose files. */
  readonly variable: string
  readonly tag: string
  /** Writes the image's files below an empty folder; throws if this machine lacks a file that is needed. */
  readonly fill: (root: string) => Promise<void>
  /** The settings of the official image, as Dockerfile instructions. */
  readonly settings: ReadonlyArray<string>
}

const path = 'ENV PATH=/usr/local/bin:/usr/bin:/bin'

const images: ReadonlyArray<Image> = [
  { variable: 'NODE_IMAGE', tag: 'node', fill: nodeBase, settings: [path, 'ENV HOME=/root'] },
  { variable: 'BASE_IMAGE', tag: 'base', fill: runtimeBase, settings: [path, 'USER 65532'] },
  {
    variable: 'KAFKA_IMAGE',
    tag: 'kafka',
    fill: kafka,
    settings: [path, 'USER 1000', 'VOLUME /var/lib/kafka/data', 'CMD ["/etc/kafka/docker/run"]'],
  },
  {
    variable: 'MONGO_IMAGE',
    tag: 'mongo',
    fill: mongo,
    settings: [path, 'VOLUME /data/db', 'ENTRYPOINT ["docker-entrypoint.sh"]', 'CMD ["mongod"]'],
  },
  {
    variable: 'HAPROXY_IMAGE',
    tag: 'haproxy',
    fill: haproxy,
    settings: [path, 'CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]'],
  },
]

/** Imports the files as an image with one layer. */
const importImage = async (root: string, name: string, settings: ReadonlyArray<string>): Promise<void> => {
  const archive = `${root}.tar`
  try {
    await output('tar', '-C', root, '--create', '--file', archive, '.')
    await output('docker', 'import', ...settings.flatMap((setting) => ['--change', setting]), archive, name)
  } finally {
    await rm(archive, { force: true })
  }
}

const make = async ({ tag, fill, settings }: Image): Promise<string> => {
  const name = `livechat-local/${tag}:local`
  const root = await mkdtemp(join(tmpdir(), `livechat-${tag}-`))
  try {
    await fill(root)
    // Files that were fetched with one user's permissions must be readable for the image's user.
    await output('chmod', '-R', 'a+rX', root)
    await importImage(root, name, settings)
    return name
  } finally {
    await rm(root, { recursive: true })
  }
}

for (const image of images) {
  try {
    console.error(`making ${image.variable} …`)
    console.log(`${image.variable}=${await make(image)}`)
  } catch (error) {
    console.error(`${image.variable} cannot be made: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}
