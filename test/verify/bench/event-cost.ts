import { BSON } from 'mongodb'
import { type AccountId, Instant } from '../../../contracts/primitives.ts'
import type { Account } from '../../../src/bridge/domain/accounts.ts'
import { contentHashes } from '../../../src/bridge/domain/content-hash.ts'
import { readJson } from '../../../src/bridge/domain/read-json.ts'
import { decodeWebhook } from '../../../src/bridge/domain/requests.ts'
import { sizeOf } from '../../../src/bridge/kafka/produce/backlog.ts'
import { encodeProduce, noIdentity } from '../../../src/bridge/kafka/produce/record-batch.ts'
import { readBatch } from '../../../src/bridge/kafka/read-batch.ts'
import { decodeRecord, toRecord } from '../../../src/bridge/kafka/records.ts'
import { toIncoming } from '../../../src/bridge/kafka/wire-record.ts'
import { groupsOf } from '../../../src/bridge/mongo/apply.ts'
import { numberTypesOf } from '../../../src/bridge/mongo/number-types.ts'
import { changesOf } from '../../../src/bridge/views/changes.ts'
import type { ViewDocument } from '../../../src/bridge/views/document.ts'
import { chatAccepted, chatAssigned, chatFinished, chatUpdated } from '../../../src/tools/simulator/payloads.ts'
import { right } from '../../support/either.ts'
import { accountId, webhooksToken } from './account.ts'
import { chatAcceptedOf, firstNumber } from './load/bodies.ts'

/**
 * The processor time of each step that an event takes through the code, without servers: from a webhook's body to the
 * bytes of a Produce request, and from the bytes of a batch to those of the documents. The least of some rounds, so
 * that other work on the machine hardly counts.
 *
 *   node test/verify/bench/event-cost.ts [ROUNDS]
 */
const rounds = Number(process.argv[2] ?? 40)
const chats = 250
/** The bytes of a Produce request before its only batch, without the topic's name. */
const fieldsBefore = 26
const time = right(Instant.decode('2026-01-05T10:00:00.000Z'))
const hash = contentHashes([{ id: accountId, webhooks: { token: webhooksToken } } as Account])
const account = { id: accountId } as Account

/** As the service posts them: four webhooks of each chat. */
const bodies = Array.from({ length: chats }, (_, chat) => {
  const { chat_id, user_token, visitor, session } = chatAcceptedOf(chat + 1, firstNumber)
  return [chatAccepted, chatAssigned, chatUpdated, chatFinished].map((kind) =>
    Buffer.from(JSON.stringify(kind({ chat_id, user_token, visitor, session }))),
  )
}).flat()

const least = new Map<string, number>()
const step = async <A>(name: string, work: () => A | Promise<A>): Promise<A> => {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  least.set(name, Math.min(least.get(name) ?? Number.POSITIVE_INFINITY, (user + system) / bodies.length))
  return result
}

const round = async () => {
  const payloads = await step('ingress: JSON of the body', () => bodies.map((body) => right(readJson(body))))
  const hashes = await step('ingress: hash of the body', () => bodies.map((body) => hash(account, body)))
  const events = await step('ingress: event', () =>
    payloads.map((payload, i) => {
      const receipt = { accountId: accountId as AccountId, receivedAt: time, id: `event-${i}`, traceparent: `00-${i}` }
      return right(decodeWebhook(payload, { ...receipt, contentHash: hashes[i] ?? '' })).event
    }),
  )
  const records = await step('ingress: record', () => events.map((event) => toRecord(event)))
  await step('ingress: size', () => records.reduce((sum, record) => sum + sizeOf(record), 0))
  const produce = { records, identity: noIdentity, isCompressed: false, topic: 'chats', partition: 0 }
  const request = await step('ingress: request', () => encodeProduce({ acks: -1, timeoutMs: 1, batches: [produce] }, 0))
  const batch = request.subarray(fieldsBefore + produce.topic.length)
  const { records: read } = await step('projector: records of a batch', () => readBatch(batch))
  const incoming = await step('projector: record', () => read.map((record) => toIncoming('chats', 0, record)))
  const decoded = await step('projector: event', () => incoming.map((record) => right(decodeRecord(record))))
  const changes = await step('projector: changes', () =>
    incoming.map((record, i) => changesOf(record, decoded[i] ?? fail())),
  )
  const groups = await step('projector: documents to read', () => groupsOf(changes.flat()))
  const folded = await step('projector: fold', () =>
    groups.flatMap(({ collection, evolve }) => evolve(undefined).map((document) => ({ collection, document }))),
  )
  const documents = await step('projector: types of numbers', () =>
    folded.map(({ collection, document }) => numberTypesOf(collection)(document)),
  )
  const bytes = await step('projector: BSON', () => documents.map((document) => BSON.serialize(document)))
  const again = await step('projector: BSON, read', () => bytes.map((each) => BSON.deserialize(each) as ViewDocument))
  return { documents: again.length, bytes: bytes.reduce((sum, { length }) => sum + length, 0) }
}
const fail = (): never => {
  throw new Error('no event')
}

let made = { documents: 0, bytes: 0 }
for (let i = 0; i < rounds; i++) made = await round()
const sum = (side: string) => [...least].reduce((total, [name, us]) => (name.startsWith(side) ? total + us : total), 0)
console.log(
  `${bodies.length} webhooks of ${Math.round(bodies.reduce((n, { length }) => n + length, 0) / bodies.length)} bytes`,
)
console.log(`${made.documents} documents of ${Math.round(made.bytes / made.documents)} bytes\n`)
for (const [name, us] of least) console.log(`${name.padEnd(32)} ${us.toFixed(2).padStart(7)} µs an event`)
for (const side of ['ingress', 'projector']) console.log(`${side.padEnd(32)} ${sum(side).toFixed(2).padStart(7)}`)
