import { adviceFor } from './advice.ts'

type Unknown = {
  readonly name?: unknown
  readonly type?: unknown
  readonly message?: unknown
  readonly cause?: unknown
}

const isObject = (value: unknown): value is Unknown => typeof value === 'object' && value !== null

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

const ofTheRecord = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'INVALID_TOPIC_EXCEPTION',
])

/** Whether a send failed through a record's own fault, so that it would fail for ever; an outage's errors are not of that kind. */
export const isRecordsFault = (error: unknown): boolean => ofTheRecord.has(kindOf(error))
