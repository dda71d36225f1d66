import { randomBytes } from 'node:crypto'
import { botReplies, enrichments, eventTopics, type TopicName } from '../../../contracts/topics.ts'

export type Poison = {
  readonly topic: TopicName
  readonly key: string
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
}

const beyondDouble = '9007199254740993'
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

const attributes = (type: string) => ({
  ce_specversion: '1.0',
  ce_id: 'poison',
  ce_source: '/accounts/acme/webhooks',
  ce_subject: '1',
  ce_type: type,
  ce_time: '2026-01-31T10:00:00.000Z',
  ce_dataschema: 'urn:livechat:schemas:x',
})
const types = ['ChatAccepted', 'CallStatusChanged', 'ClientUpdated', 'OfflineMessageReceived', 'ClientMessageReceived']

type Kind = {
  readonly topic: TopicName
  /** A field that the topic's contract knows. It is neither a number nor an array of that depth there. */
  readonly field: string
  readonly headers: Readonly<Record<string, string>>
  readonly keyOf: (name: string) => string
}

const kinds: ReadonlyArray<Kind> = [
  ...eventTopics.map(({ name }, i) => ({
    topic: name,
    field: 'chatId',
    headers: attributes(`livechat.${types[i]}.v1`),
    keyOf: (it: string) => `acme/${it}`,
  })),
  { topic: botReplies.name, field: 'message', headers: {}, keyOf: (it) => `acme/${it}` },
  { topic: enrichments.name, field: 'customData', headers: {}, keyOf: (it) => `acme/userToken:${it}` },
]

/**
 * Values that no valid record has, for every topic that the bridge reads. One of them is JSON of this depth. Each has
 * its own bytes, which identify its dead letter. No two rounds are the same.
 */
export const poisons = (round: number, depth: number): ReadonlyArray<Poison> =>
  kinds.flatMap(({ topic, field, headers, keyOf }, i) => {
    const n = round * kinds.length + i
    const values = [
      randomBytes(200),
      Buffer.from(`{"n":${n},"${field}":${nested(depth)}}`),
      Buffer.from(`{"n":${n},"accountId":"acme","${field}":${beyondDouble}}`),
    ]
    return values.map((value, j) => ({
      topic,
      key: keyOf(`poison-${n}-${j}`),
      value,
      headers: { ...headers, 'x-foreign': `kept-${n}-${j}` },
    }))
  })
