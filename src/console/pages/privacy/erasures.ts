import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Count, exactShape, Id } from '../../../../contracts/primitives.ts'
import { ErasureDocument, Remains } from '../../../../contracts/views/erasure.ts'
import { invalid } from '../../../bridge/http/answer.ts'
import { newestRecords } from '../../../bridge/kafka/read-topic.ts'
import type { Find } from '../../../bridge/mongo/source.ts'
import { eraseStatus } from '../../../bridge/privacy/erase/erase-operations.ts'
import { confirmations } from '../../../bridge/privacy/erase/status.ts'
import type { Backend } from '../../backend.ts'
import { decodeAs, ok, part, unavailable } from '../../page.ts'
import { pageOf } from '../../query.ts'
import { runFor } from '../../run.ts'

/** A time as RFC 3339. */
const Time = t.string

/** A document of `erasures` as JSON, without what names or recognises the person. Earlier receipts have sentences. */
const Receipt = exactShape(
  {
    _id: t.string,
    accountId: t.string,
    state: t.keyof({ started: null, published: null, complete: null }),
    requestedBy: t.string,
    requestedAt: Time,
    markers: Count,
    found: t.record(t.string, Count),
    remains: t.array(t.union([Remains, t.strict({ where: t.string, until: t.string })])),
  },
  {
    ticket: t.string,
    stillFound: t.record(t.string, Count),
    publishedSince: t.record(t.string, Count),
    unnamed: Count,
    checkedAt: Time,
    completedAt: Time,
  },
  'Receipt',
)

/** A receipt, and the consumer groups that have confirmed it. It does not name the person. */
export const ErasureAnswer = exactShape({ receipt: Receipt, confirmedBy: t.array(t.string) }, {}, 'ErasureAnswer')
export type ErasureAnswer = t.TypeOf<typeof ErasureAnswer>

/** The newest 100 receipts, newest first. `cut`: there are more receipts, or there may be more confirmations. */
const ErasuresAnswer = exactShape({ cut: t.boolean, erasures: t.array(ErasureAnswer) }, {}, 'ErasuresAnswer')
export type ErasuresAnswer = t.TypeOf<typeof ErasuresAnswer>

/** Body: the id of the erasure of which the bridge checks now what is left. */
const CheckBody = exactShape({ id: Id }, {}, 'CheckBody')

/** The receipts of an account, the newest first. */
const receipts = (accountId: string, limit: number): Find<ErasureDocument> => ({
  view: 'erasures',
  row: ErasureDocument,
  where: { accountId },
  sort: { requestedAt: -1 },
  limit,
})

const maxReceipts = 100
const maxConfirmations = 10_000
const withinMs = 5_000

/** Removes the plan, which names the person, and HMACs that only the bridge can use. The requester's name stays. */
export const reported = (document: ErasureDocument): ErasureAnswer => {
  const { plan, request, keys, confirmedBy = [], requestedAt, checkedAt, completedAt, ...receipt } = document
  return {
    receipt: {
      ...receipt,
      requestedAt: requestedAt.toISOString(),
      ...(checkedAt && { checkedAt: checkedAt.toISOString() }),
      ...(completedAt && { completedAt: completedAt.toISOString() }),
    },
    confirmedBy,
  }
}

const unknown = invalid(404, 'id: expected the erasure of a receipt')

export const erasures = part({
  routes: {
    'GET /api/accounts/:account/erasures': { answer: ErasuresAnswer },
    'POST /api/accounts/:account/erasures/check': { answer: ErasureAnswer },
  },
  handlers: ({
    kafka,
    erasures: stored,
    recordActionOf,
    read,
  }: Pick<Backend, 'erasures' | 'recordActionOf' | 'read'> & {
    readonly kafka: Pick<Backend['kafka'], 'readTopic' | 'ranges' | 'committedOffsets' | 'deadLetter'>
  }) => ({
    'POST /api/accounts/:account/erasures/check': async (request) => {
      const body = decodeAs(CheckBody, request.body)
      if (E.isLeft(body)) return body
      const { id } = body.right
      const isOfAccount = (await stored.find({ _id: id })).some(({ accountId }) => accountId === request.accountId)
      if (!isOfAccount) return E.left(unknown)
      const run = runFor(request, recordActionOf)
      const checked = await eraseStatus.perform({ kafka, erasures: stored }, { id }, run)
      if (E.isLeft(checked)) return E.left(unavailable(checked.left.reason))
      const [receipt] = checked.right.result ?? []
      return receipt === undefined ? E.left(unknown) : ok(reported(receipt))
    },
    'GET /api/accounts/:account/erasures': async ({ accountId, signal: gone }) => {
      const found = await pageOf(
        maxReceipts,
        (limit) => read(receipts(accountId, limit)),
        () => true,
      )
      if (E.isLeft(found)) return found
      const { rows, next: hasMore = false } = found.right
      const signal = AbortSignal.any([gone, AbortSignal.timeout(withinMs)])
      // A check stores the groups that have confirmed in the receipt, because Kafka may have deleted their confirmations.
      const part = newestRecords(maxConfirmations)
      const groupsOf = rows.length === 0 ? () => [] : await confirmations(kafka, accountId, { part, signal })
      const erasures = rows.map((document) => {
        const { receipt, confirmedBy } = reported(document)
        return { receipt, confirmedBy: [...new Set([...confirmedBy, ...groupsOf(receipt._id)])].sort() }
      })
      const answer: ErasuresAnswer = { cut: hasMore || signal.aborted, erasures }
      return ok(answer)
    },
  }),
})
