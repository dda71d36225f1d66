import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { kafkaConfig, newClusterId } from '../../../src/tools/embedded/kafka-broker.ts'
import { kafkaJars } from '../../../src/tools/embedded/kafka-jars.ts'
import { runKafkaNode } from '../../../src/tools/embedded/kafka-node.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { right } from '../../support/either.ts'
import { cacheDir } from '../../support/servers.ts'
import type { Authority } from './certificates.ts'

export const user = { username: 'bridge', password: 'the-password-of-the-bridge' }
export const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

const jaas = 'org.apache.kafka.common.security'
const { username, password } = user

/** A real broker that authenticates its clients, in each of the ways that the bridge supports. */
export const startSecureKafka = async (directory: string, authority: Authority) => {
  const say = (line: string) => console.error(line)
  const jars = right(await kafkaJars(resolve(cacheDir), say))
  const [broker = 0, controller = 0, sasl = 0, mutual = 0, six = 0] = await Promise.all(
    Array.from({ length: 5 }, () => anyFree()),
  )
  const server = await authority.forLocalhost('broker')
  const listeners = [
    `CLIENTS://127.0.0.1:${broker}`,
    `SASL://localhost:${sasl}`,
    `MUTUAL://localhost:${mutual}`,
    ...(hasIpv6 ? [`SIX://[::1]:${six}`] : []),
  ]
  const security = [
    `listeners=${listeners.join(',')},CONTROLLER://127.0.0.1:${controller}`,
    `advertised.listeners=${listeners.join(',')}`,
    'listener.security.protocol.map=CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT,SIX:PLAINTEXT,SASL:SASL_SSL,MUTUAL:SSL',
    'ssl.keystore.type=PEM',
    `ssl.keystore.location=${server.bothFile}`,
    'ssl.truststore.type=PEM',
    `ssl.truststore.location=${authority.own.certFile}`,
    'listener.name.mutual.ssl.client.auth=required',
    'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    // Without a validator of its own, the broker takes tokens without a signature. A session lasts as long as its token.
    `listener.name.sasl.oauthbearer.sasl.jaas.config=${jaas}.oauthbearer.OAuthBearerLoginModule required;`,
    'connections.max.reauth.ms=3600000',
    `listener.name.sasl.plain.sasl.jaas.config=${jaas}.plain.PlainLoginModule required user_${username}="${password}";`,
    ...['256', '512'].map(
      (bits) => `listener.name.sasl.scram-sha-${bits}.sasl.jaas.config=${jaas}.scram.ScramLoginModule required;`,
    ),
  ]
  const running = right(
    await runKafkaNode({
      name: 'the Kafka broker',
      directory: join(directory, 'kafka'),
      logFile: join(directory, 'kafka.log'),
      jars,
      heap: 512,
      clusterId: newClusterId(),
      formatWith: ['256', '512'].flatMap((bits) => [
        '--add-scram',
        `SCRAM-SHA-${bits}=[name=${username},password=${password}]`,
      ]),
      // If a key has two lines, the later one counts.
      configure: async () => ({
        port: broker,
        properties: `${kafkaConfig({ broker, controller })}${security.join('\n')}\n`,
      }),
    }),
  )
  return {
    plaintext: `127.0.0.1:${broker}`,
    sasl: `localhost:${sasl}`,
    saslAtOtherName: `127.0.0.1:${sasl}`,
    mutual: `localhost:${mutual}`,
    six: `[::1]:${six}`,
    stop: running.stop,
  }
}
