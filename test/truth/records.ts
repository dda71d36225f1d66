import { deadLetterHeaders as dl } from '../../contracts/topics.ts'
import type { IncomingRecord } from '../../src/domain/ports.ts'
import { readPrefix } from './read-prefix.ts'
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

const eventProblem = (record: IncomingRecord): string | undefined => {
  const headers = headersOf(record, (name) => !name.startsWith('dl_'))
  const data = Object(json(record.value))
  const key = `${data.accountId}/${headers.ce_subject}`
  return (
    misfit('EventHeaders', headers) ??
    misfit((headers.ce_type ?? '').replace('livechat.', ''), json(record.value)) ??
    (text(record.key) === key ? undefined : `the key is not ${key}`)
  )
}

/** What a record is said to be by its topic and itself, and what of that is not true. */
const judge = (record: IncomingRecord): readonly [kind: string, problem: string | undefined] => {
  switch (record.topic) {
    case 'quarantine':
      return ['quarantine', misfit('QuarantineHeaders', headersOf(record))]
    case 'dead-letters':
      return [
        'dead-letters',
        misfit(
          'DeadLetterHeaders',
          headersOf(record, (name) => name.startsWith('dl_')),
        ),
      ]
    case 'enrichments':
      if (record.value === null) return ['removed enrichment', undefined]
      return ['Enrichment', misfit('Enrichment', json(record.value))]
    case 'bot-replies': {
      const { type } = Object(json(record.value))
      const kind = type === 'InviteAgent' ? 'InviteAgent' : 'BotMessage'
      return [kind, misfit(kind, json(record.value))]
    }
    default:
      return [text(record.headers.ce_type).replace('livechat.', '') || 'not an event', eventProblem(record)]
  }
}

const origin = ({ headers }: IncomingRecord) =>
  [dl.topic, dl.partition, dl.offset].map((name) => text(headers[name])).join('/')

/**
 * Checks every record of the topics of a prefix against the published schemas. What was made wrong on purpose is told by its dead
 * letter; where no bridge has worked on the prefix (not `strict`), only what claims to be an event is checked.
 */
export const checkPrefix = async (
  brokers: ReadonlyArray<string>,
  prefix: string,
  topics: ReadonlyArray<IncomingRecord['topic']>,
  strict: boolean,
  { count }: Tally,
): Promise<void> => {
  const { records, unread } = await readPrefix(brokers, prefix, topics)
  if (unread !== undefined) count('a batch that cannot be read', prefix, strict ? unread : undefined)
  const dead = new Set(records.filter(({ topic }) => topic === 'dead-letters').map(origin))
  for (const record of records) {
    const { topic, partition, offset, headers } = record
    const place = `${topic}/${partition}/${offset}`
    const [kind, problem] = judge(record)
    const known = strict || headers.ce_specversion !== undefined
    if (problem !== undefined && (dead.has(place) || !known)) count('wrong on purpose', prefix + place, undefined)
    else count(kind, prefix + place, problem)
  }
}
