import { deadLetterHeaders as dl } from '../../../contracts/records.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { readTopics } from '../../support/plain-consumer.ts'
import { misfit } from './schemas.ts'
import type { Tally } from './tally.ts'

const text = (bytes: Buffer | null | undefined) => bytes?.toString() ?? ''

const json = (value: Buffer | null): unknown => {
  try {
    return JSON.parse(text(value))
  } catch {
    return undefined
  }
}

const headersOf = ({ headers }: IncomingRecord, only: (name: string) => boolean = () => true) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => only(name))
      .map(([name, bytes]) => [name, text(bytes)]),
  )

/** A value that a record holds, and the published schema that describes it. */
export type Described = { readonly schema: string; readonly value: unknown }

/** The content of a record, from its topic and its headers: its kind, and each value with its schema. */
export const described = (
  record: IncomingRecord,
): { readonly kind: string; readonly values: ReadonlyArray<Described> } => {
  const isOfDeadLetter = (name: string) => name.startsWith('dl_')
  switch (record.topic) {
    case 'quarantine':
      return { kind: 'quarantine', values: [{ schema: 'QuarantineHeaders', value: headersOf(record) }] }
    case 'dead-letters':
      return {
        kind: 'dead-letters',
        values: [{ schema: 'DeadLetterHeaders', value: headersOf(record, isOfDeadLetter) }],
      }
    case 'enrichments':
      if (record.value === null) return { kind: 'removed enrichment', values: [] }
      return { kind: 'Enrichment', values: [{ schema: 'Enrichment', value: json(record.value) }] }
    case 'bot-replies': {
      const value = json(record.value)
      const schema = Object(value).type === 'InviteAgent' ? 'InviteAgent' : 'BotMessage'
      return { kind: schema, values: [{ schema, value }] }
    }
    case 'erasure-confirmations':
      return { kind: 'ErasureConfirmation', values: [{ schema: 'ErasureConfirmation', value: json(record.value) }] }
    case 'audit':
      return { kind: 'OperatorAction', values: [{ schema: 'OperatorAction', value: json(record.value) }] }
    case 'archive-chats':
    case 'archive-calls':
    case 'archive-clients':
    case 'archive-offline-messages':
    case 'archive-bot-conversations':
      return { kind: 'ArchivedEvent', values: [{ schema: 'ArchivedEvent', value: json(record.value) }] }
    default: {
      const schema = text(record.headers.ce_type).replace('livechat.', '')
      const headers = headersOf(record, (name) => !isOfDeadLetter(name))
      return {
        kind: schema || 'not an event',
        values: [
          { schema: 'EventHeaders', value: headers },
          { schema, value: json(record.value) },
        ],
      }
    }
  }
}

const raw: ReadonlySet<string> = new Set([
  'quarantine',
  'dead-letters',
  'enrichments',
  'bot-replies',
  'audit',
  'erasure-confirmations',
])

/** The event itself determines its key. */
const keyProblem = ({ topic, key, value, headers }: IncomingRecord): string | undefined => {
  if (raw.has(topic) || topic.startsWith('archive-')) return undefined
  const expected = `${Object(json(value)).accountId}/${text(headers.ce_subject)}`
  return text(key) === expected ? undefined : `the key is not ${expected}`
}

const origin = ({ headers }: IncomingRecord) =>
  [dl.topic, dl.partition, dl.offset].map((name) => text(headers[name])).join('/')

/**
 * Checks every record of the topics of a prefix against the published schemas. A record that was made wrong on purpose
 * has a dead letter. If no bridge has worked with the prefix (not `strict`), only records that claim to be events are
 * checked.
 */
export const checkPrefix = async (
  brokers: ReadonlyArray<string>,
  prefix: string,
  topics: ReadonlyArray<IncomingRecord['topic']>,
  strict: boolean,
  { count }: Tally,
): Promise<void> => {
  const { records, unread } = await readTopics(brokers, prefix, topics)
  if (unread !== undefined) count('a batch that cannot be read', prefix, strict ? unread : undefined)
  const dead = new Set(records.filter(({ topic }) => topic === 'dead-letters').map(origin))
  for (const record of records) {
    const { topic, partition, offset, headers } = record
    const place = `${topic}/${partition}/${offset}`
    const { kind, values } = described(record)
    const misfits = values.map(({ schema, value }) => misfit(schema, value))
    const problem = misfits.find((each) => each !== undefined) ?? keyProblem(record)
    const known = strict || headers.ce_specversion !== undefined
    if (problem !== undefined && (dead.has(place) || !known)) count('wrong on purpose', prefix + place, undefined)
    else count(kind, prefix + place, problem)
  }
}
