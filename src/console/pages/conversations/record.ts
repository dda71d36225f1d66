import * as E from 'fp-ts/lib/Either.js'
import { exactShape } from '../../../../contracts/primitives.ts'
import { storyTopics, type TopicName } from '../../../../contracts/topics.ts'
import type { IncomingRecord } from '../../../bridge/domain/log/record.ts'
import { erasedKeyOf, nameOfErased } from '../../../bridge/domain/person/erased.ts'
import { invalid, type Refusal } from '../../../bridge/http/answer.ts'
import { kafkaReasonOf } from '../../../bridge/kafka/errors.ts'
import type { Backend } from '../../backend.ts'
import { decodeAs, ok, part, readers, recordLook, unavailable } from '../../page.ts'
import { place, RecordAnswer, recordAnswer } from '../../record-answer.ts'

/** Body of a request: the place of a record. */
const RecordBody = exactShape(place, {}, 'RecordBody')

/** Other topics are for other roles. */
const shown: ReadonlyMap<string, TopicName> = new Map([...storyTopics].map((name) => [name, name]))

const unknown = (message: string): E.Either<Refusal, never> => E.left(invalid(404, message))
const notThere = unknown('offset: expected a record of this account; the topic has none there')
const deleted = unknown(
  'offset: expected a record that the topic still has: this one is older than its retention. The archive has what was archived: livechat-bridge archive replay',
)
const erased = unknown('offset: the person of this record was erased')
const wrongTopic = invalid(400, `topic: expected one of ${[...storyTopics].join(', ')}`)

export const record = part({
  routes: { 'POST /api/accounts/:account/record': { answer: RecordAnswer, roles: readers } },
  handlers: ({
    kafka,
    erasures,
    recordActionOf,
  }: Pick<Backend, 'recordActionOf'> & {
    readonly kafka: Pick<Backend['kafka'], 'ranges' | 'fetchRecord'>
    readonly erasures: Pick<Backend['erasures'], 'erasedAt'>
  }) => {
    const isErased = async ({ topic, timestamp }: IncomingRecord, key: string) => {
      const one = erasedKeyOf(topic, key)
      const at = (await erasures.erasedAt([one])).get(nameOfErased(one))
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
        const known = await kafka.ranges(topic).catch(() => undefined)
        if (known === undefined) return E.left(unavailable('Kafka does not answer'))
        const range = known.get(partition)
        if (range === undefined || offset >= range.high) return notThere
        if (offset < range.low) return deleted
        const recorded = await recordLook(recordActionOf)(request, 'record', { topic, partition, offset })
        if (E.isLeft(recorded)) return recorded
        const found = await kafka.fetchRecord(topic, partition, offset).catch(kafkaReasonOf)
        if (typeof found === 'string') return E.left(unavailable(`Kafka: ${found}`))
        const key = found?.key?.toString() ?? ''
        if (found === undefined || !key.startsWith(`${accountId}/`)) return notThere
        // Kafka keeps a record for a while after its person was erased.
        if (await isErased(found, key)) return erased
        return ok(recordAnswer(found))
      },
    }
  },
})
