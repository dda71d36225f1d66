import type { Failure } from '../domain/ports.ts'
import { isObject } from '../shared/json.ts'
import { adviceFor } from './advice.ts'

type Unknown = {
  readonly name?: unknown
  readonly type?: unknown
  readonly message?: unknown
  readonly cause?: unknown
}

const chain = (error: unknown): ReadonlyArray<Unknown> => {
  const causes: Array<Unknown> = []
  for (let at = error; isObject(at) && causes.length < 10 && !causes.includes(at); at = at.cause) causes.push(at)
  return causes
}

/** Nothing was heard within a time of our own; what was asked for may still happen. */
export const noAnswer = (): Error => Object.assign(new Error('Kafka does not answer'), { name: 'KafkaDoesNotAnswer' })

/** What the broker or kafkajs calls the error: `MESSAGE_TOO_LARGE`, `KafkaJSConnectionError`. */
export const kindOf = (error: unknown): string => {
  const causes = chain(error)
  const type = causes.find((cause) => typeof cause.type === 'string')?.type
  return String(type ?? causes.at(-1)?.name ?? 'unknown error')
}

/** kafkajs's own words for an error of its own, and which setting to look at where one may be wrong; of other errors the name alone, since their words may quote data. */
export const reasonOf = (error: unknown): string => {
  const [outermost] = chain(error)
  const kind = kindOf(error)
  const isKafkas = typeof outermost?.name === 'string' && outermost.name.startsWith('KafkaJS')
  const advice = adviceFor(error)
  return `${isKafkas ? `${kind}: ${String(outermost.message)}` : kind}${advice === undefined ? '' : ` (${advice})`}`
}

const ofIdentities = new Set([
  ...['OUT_OF_ORDER_SEQUENCE_NUMBER', 'DUPLICATE_SEQUENCE_NUMBER', 'UNKNOWN_PRODUCER_ID'],
  ...['INVALID_PRODUCER_EPOCH', 'INVALID_PRODUCER_ID_MAPPING'],
])

/** Whether the broker has lost, or mixes up, the sequence numbers of a producer. */
export const isIdentityLost = (error: unknown): boolean => ofIdentities.has(kindOf(error))

const tooLarge = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'])
const invalid = new Set(['INVALID_RECORD', 'INVALID_TIMESTAMP', 'INVALID_TOPIC_EXCEPTION'])

/** Why the broker will never take a record, where the error is the record's own fault; undefined for an outage's errors. */
export const refusalOf = (error: unknown): Failure | undefined => {
  const kind = kindOf(error)
  if (tooLarge.has(kind)) return { kind: 'too-large', reason: kind }
  return invalid.has(kind) ? { kind: 'permanent', reason: kind } : undefined
}
