import { isIP } from 'node:net'
import type { Failure } from '../domain/log/record.ts'
import { isObject } from '../shared/json.ts'
import { networkReasonOf, type ServerWords, tlsReasonOf } from '../shared/tls-trouble.ts'
import { hostOf } from './sockets.ts'

const words: ServerWords = {
  server: 'the broker',
  authorities: 'KAFKA_SSL_CA',
  hosts: "KAFKA_BROKERS, and the broker's advertised listeners",
  clientCertificate: 'KAFKA_SSL_CERT and KAFKA_SSL_KEY',
  tls: 'KAFKA_SSL and KAFKA_BROKERS',
}

const sasl = (message: string): string | undefined => {
  if (message.includes('not supported by the server')) return 'see KAFKA_SASL_MECHANISM'
  // Of OAUTHBEARER the message itself names the setting.
  return message.includes('KAFKA_SASL_OAUTH_') ? undefined : 'see KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD'
}

const byCheckConfig = '`livechat-bridge check-config --connect` names it'
const denials: Readonly<Record<string, string>> = {
  TOPIC_AUTHORIZATION_FAILED: `Kafka's user lacks an operation on a topic: ${byCheckConfig}`,
  GROUP_AUTHORIZATION_FAILED: `Kafka's user lacks Read on a consumer group: ${byCheckConfig}`,
}

/** The settings that an operator should check, if wrong settings can cause this error. */
const adviceFor = (error: unknown): string | undefined => {
  const trouble = tlsReasonOf(error, words)
  if (trouble !== undefined) return trouble
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++)
    if (at.name === 'KafkaJSSASLAuthenticationError') return sasl(at.message)
  return denials[kindOf(error)]
}

type Unknown = {
  readonly name?: unknown
  readonly type?: unknown
  readonly message?: unknown
  readonly code?: unknown
  readonly broker?: unknown
  readonly cause?: unknown
}

const chain = (error: unknown): ReadonlyArray<Unknown> => {
  const causes: Array<Unknown> = []
  for (let at = error; isObject(at) && causes.length < 10 && !causes.includes(at); at = at.cause) causes.push(at)
  return causes
}

/** The request timed out. Its effect is not known. */
export const kafkaDoesNotAnswer = (): Error =>
  Object.assign(new Error('Kafka does not answer'), { name: 'KafkaDoesNotAnswer' })

/** The error's name in the broker or kafkajs: `MESSAGE_TOO_LARGE`, `KafkaJSConnectionError`. */
export const kindOf = (error: unknown): string => {
  const causes = chain(error)
  const type = causes.find((cause) => typeof cause.type === 'string')?.type
  return String(type ?? causes.at(-1)?.name ?? 'unknown error')
}

/** Kafka cannot be reached. The message says what is wrong, and since when. */
class Unreachable extends Error {}

const ofNetwork = new Set([
  'KafkaDoesNotAnswer',
  'KafkaJSBrokerNotFound',
  'KafkaJSConnectionClosedError',
  'KafkaJSConnectionError',
  'KafkaJSRequestTimeoutError',
])

const placeOf = (causes: ReadonlyArray<Unknown>): string => {
  const broker = causes.find((cause) => typeof cause.broker === 'string')?.broker
  const [host = '', port] = typeof broker === 'string' ? broker.split(':') : []
  return host === '' ? 'the broker' : `${isIP(hostOf(host)) === 6 ? `[${hostOf(host)}]` : hostOf(host)}:${port}`
}

/** Why Kafka cannot be reached; undefined if the error is another one. `since` is a time of Date.now(). */
export const unreachable = (error: unknown, since?: number): Unreachable | undefined => {
  if (error instanceof Unreachable) return error
  const causes = chain(error)
  const isOfNetwork = causes.some(({ name }) => typeof name === 'string' && ofNetwork.has(name))
  // A broker that answers with an error can be reached.
  if (!isOfNetwork || causes.some(({ type }) => typeof type === 'string')) return undefined
  const texts = causes.map(({ message }) => String(message))
  const place = placeOf(causes)
  const isClosed = causes.some(({ name }) => name === 'KafkaJSConnectionClosedError')
  const what =
    networkReasonOf(error, place, (code) => texts.some((text) => text.includes(code))) ??
    (isClosed ? `${place} closed the connection` : `${place} does not answer`)
  const advice = adviceFor(error)
  const known = [
    since === undefined ? '' : ` since ${new Date(since).toISOString()}`,
    `: ${what}`,
    advice === undefined ? '' : ` (${advice})`,
  ]
  return new Unreachable(`Kafka cannot be reached${known.join('')}`, { cause: error })
}

/** The message of a kafkajs error and settings to check. Other messages may quote data, so only the name is shown. */
export const kafkaReasonOf = (error: unknown): string => {
  const away = unreachable(error)
  if (away !== undefined) return away.message
  const [outermost] = chain(error)
  const kind = kindOf(error)
  const isKafkas = typeof outermost?.name === 'string' && outermost.name.startsWith('KafkaJS')
  const advice = adviceFor(error)
  return `${isKafkas ? `${kind}: ${String(outermost.message)}` : kind}${advice === undefined ? '' : ` (${advice})`}`
}

const ofIdentities = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'DUPLICATE_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
])

/** Whether the broker has lost or confused the sequence numbers of a producer. */
export const isIdentityLost = (error: unknown): boolean => ofIdentities.has(kindOf(error))

const tooLarge = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'])

/** Errors that the record meets again whenever it is sent, with the settings that an operator should check. */
const invalid: Readonly<Record<string, string>> = {
  INVALID_RECORD: 'see cleanup.policy of the topic, and what checks records at the broker',
  INVALID_TIMESTAMP:
    'see message.timestamp.type, message.timestamp.before.max.ms and message.timestamp.after.max.ms of the topic, and the clocks of this host and the broker',
  INVALID_TOPIC_EXCEPTION: 'see TOPIC_PREFIX',
  POLICY_VIOLATION: 'see the policies of the broker, or of the proxy before it',
}

/** Why the broker will never accept a record, if the record itself causes the error. Undefined for other errors. */
export const refusalOf = (error: unknown): Failure | undefined => {
  const kind = kindOf(error)
  if (tooLarge.has(kind)) return { kind: 'too-large', reason: kind }
  const advice = Object.hasOwn(invalid, kind) ? invalid[kind] : undefined
  return advice === undefined ? undefined : { kind: 'permanent', reason: `${kind}: ${advice}` }
}
