import * as E from 'fp-ts/lib/Either.js'
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import { initiateReplicaSet } from '../../src/bridge/mongo/replica-set.ts'
import { kafkaConfig } from '../../src/tools/embedded/kafka-broker.ts'
import { mongoUrl } from '../../src/tools/embedded/mongod.ts'
import { anyFree } from '../../src/tools/embedded/port.ts'

const images = {
  kafka: process.env.KAFKA_IMAGE ?? 'apache/kafka:4.2.0',
  mongo: process.env.MONGO_IMAGE ?? 'mongo:8.0',
}
const withinMs = 180_000

/** A server advertises its address to clients, so its port is the same inside and outside the container. */
const listening = (image: string, port: number) =>
  new GenericContainer(image)
    .withExposedPorts({ container: port, host: port })
    .withHealthCheck({
      test: ['CMD', 'bash', '-c', `< /dev/tcp/127.0.0.1/${port}`],
      interval: 500,
      timeout: 5000,
      retries: withinMs / 500,
    })
    .withWaitStrategy(Wait.forHealthCheck())
    .withStartupTimeout(withinMs)

/** The properties of the embedded broker, as environment variables of the image. */
const variables = (properties: string): Record<string, string> =>
  Object.fromEntries(
    properties
      .trim()
      .split('\n')
      .map((line) => {
        const [key = '', ...value] = line.split('=')
        return [`KAFKA_${key.replaceAll('.', '_').toUpperCase()}`, value.join('=')]
      }),
  )

const startKafka = (port: number): Promise<StartedTestContainer> =>
  listening(images.kafka, port)
    .withEnvironment({
      ...variables(kafkaConfig({ broker: port, controller: port + 1 })),
      CLUSTER_ID: 'bGl2ZWNoYXQtYnJpZGdlLQ',
      KAFKA_HEAP_OPTS: '-Xmx512m',
      KAFKA_LISTENERS: `CLIENTS://:${port},CONTROLLER://127.0.0.1:${port + 1}`,
      KAFKA_LOG_DIRS: '/var/lib/kafka/data',
    })
    .start()

const startMongod = (port: number): Promise<StartedTestContainer> =>
  listening(images.mongo, port)
    .withUser('999:999')
    .withCommand(['mongod', '--port', `${port}`, '--bind_ip_all', '--replSet', 'livechat', '--quiet'])
    .start()

/** A broker and a mongod like the embedded ones, each in a container. */
export const startContainers = async () => {
  const kafkaPort = await anyFree()
  const mongoPort = await anyFree(kafkaPort)
  const started = await Promise.allSettled([startKafka(kafkaPort), startMongod(mongoPort)])
  const stop = async () => {
    for (const each of started) if (each.status === 'fulfilled') await each.value.stop()
  }
  const address = `127.0.0.1:${mongoPort}`
  const failed = started.find((each) => each.status === 'rejected')
  const primary = failed === undefined ? await initiateReplicaSet(address, 'livechat', withinMs) : undefined
  if (primary !== undefined && E.isRight(primary))
    return { brokers: [`127.0.0.1:${kafkaPort}`], mongoUrl: mongoUrl(address), stop }
  await stop()
  throw failed?.reason ?? new Error(`mongod has no primary: ${primary?.left.reason}`)
}
