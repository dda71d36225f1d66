import * as E from 'fp-ts/lib/Either.js'
import { storyTopics, type TopicName } from '../../../contracts/topics.ts'
import type { Ranges } from '../../bridge/domain/log/positions.ts'
import type { IncomingRecord } from '../../bridge/domain/log/record.ts'
import { erasedKeyOf, nameOfErased } from '../../bridge/domain/person/erased.ts'
import { invalid, type Refusal } from '../../bridge/http/answer.ts'
import { kafkaReasonOf } from '../../bridge/kafka/errors.ts'
import type { FetchRecord } from '../../bridge/kafka/fetch-record.ts'
import type { Erasures } from '../../bridge/mongo/erasures.ts'
import { RecordBody } from '../answers.ts'
import { decodeAs, type Handlers, ok, type RecordActionOf, recordLook, unavailable } from '../handler.ts'
import { recordAnswer } from '../record-answer.ts'

export type RecordDeps = {
  readonly ranges: Ranges
  readonly fetchRecord: FetchRecord
  readonly erasedAt: Erasures['erasedAt']
  readonly recordActionOf: RecordActionOf
}

/** Other topics are for other roles. */
const shown: ReadonlyMap<string, TopicName> = new Map([...storyTopics].map((name) => [name, name]))

const unknown = (message: string): E.Either<Refusal, never> => E.left(invalid(404, message))
const notThere = unknown('offset: expected a record of this account; the topic has none there')
const deleted = unknown(
  'offset: expected a record that the topic still has: this one is older than its retention. The archive has what was archived: livechat-bridge archive replay',
)
const erased = unknown('offset: the person of this record was erased')
const wrongTopic = invalid(400, `topic: expected one of ${[...storyTopics].join(', ')}`)

export const recordHandlers = ({
  ranges,
  fetchRecord,
  erasedAt,
  recordActionOf,
}: RecordDeps): Handlers<'POST /api/accounts/:account/record'> => {
  const isErased = async ({ topic, timestamp }: IncomingRecord, key: string) => {
    const one = erasedKeyOf(topic, key)
    const at = (await erasedAt([one])).get(nameOfErased(one))
    return at !== undefined && timestamp <= at.getTime()
  }
  return {
    'POST /api/accounts/:account/record': async (request) => {
      const { accountId, body } = request
      const read = decodeAs(RecordBody, body)
      if (E.isLeft(read)) return read
      const { partition, offset } = read.right
      const topic = shown.get(read.right.topic)
      if (topic === undefined) return E.left(wrongTopic)
      const known = await ranges(topic).catch(() => undefined)
      if (known === undefined) return E.left(unavailable('Kafka does not answer'))
      const range = known.get(partition)
      if (range === undefined || offset >= range.high) return notThere
      if (offset < range.low) return deleted
      const recorded = await recordLook(recordActionOf)(request, `record ${topic}/${partition}/${offset}`)
      if (E.isLeft(recorded)) return recorded
      const found = await fetchRecord(topic, partition, offset).catch(kafkaReasonOf)
      if (typeof found === 'string') return E.left(unavailable(`Kafka: ${found}`))
      const key = found?.key?.toString() ?? ''
      if (found === undefined || !key.startsWith(`${accountId}/`)) return notThere
      // Kafka keeps a record for a while after its person was erased.
      if (await isErased(found, key)) return erased
      return ok(recordAnswer(found))
    },
  }
}
