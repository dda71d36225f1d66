import * as E from 'fp-ts/lib/Either.js'
import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { invalid } from '../../bridge/http/answer.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import { newestRecords } from '../../bridge/kafka/read-topic.ts'
import type { Query } from '../../bridge/mongo/connect.ts'
import { receiptsIn } from '../../bridge/mongo/console-privacy.ts'
import type { Erasures } from '../../bridge/mongo/erasures.ts'
import { eraseStatus } from '../../bridge/privacy/erase/erase-operations.ts'
import { confirmations } from '../../bridge/privacy/erase/status.ts'
import { CheckBody, type ErasuresAnswer } from '../answers.ts'
import { decodeAs, type Handlers, ok, type RecordActionOf, unavailable } from '../handler.ts'
import { runFor } from '../run.ts'

export type ErasuresDeps = {
  readonly kafka: Pick<KafkaPorts, 'readTopic' | 'ranges' | 'committedOffsets' | 'deadLetter'>
  readonly erasures: Erasures
  readonly recordActionOf: RecordActionOf
  readonly mongoQuery: Query
}

const maxReceipts = 100
const maxConfirmations = 10_000
const withinMs = 5_000

/** Removes the plan, which names the person, and HMACs that only the bridge can use. The requester's name stays. */
export const reported = ({ plan, request, keys, confirmedBy = [], ...receipt }: ErasureDocument) => ({
  receipt,
  confirmedBy,
})

const unknown = invalid(404, 'id: expected the erasure of a receipt')

export const erasuresHandlers = ({
  kafka,
  erasures,
  recordActionOf,
  mongoQuery,
}: ErasuresDeps): Handlers<'GET /api/accounts/:account/erasures' | 'POST /api/accounts/:account/erasures/check'> => ({
  'POST /api/accounts/:account/erasures/check': async (of) => {
    const body = decodeAs(CheckBody, of.body)
    if (E.isLeft(body)) return body
    const { id } = body.right
    const isOfAccount = (await erasures.find({ _id: id })).some(({ accountId }) => accountId === of.accountId)
    if (!isOfAccount) return E.left(unknown)
    const run = runFor(of, recordActionOf, false, () => {})
    const checked = await eraseStatus.perform({ kafka, erasures }, { id }, run)
    if (E.isLeft(checked)) return E.left(unavailable(checked.left.reason))
    const [receipt] = checked.right.result ?? []
    return receipt === undefined ? E.left(unknown) : ok(reported(receipt))
  },
  'GET /api/accounts/:account/erasures': async ({ accountId, signal: gone }) => {
    const found = await mongoQuery(receiptsIn)(accountId, maxReceipts + 1)
    if (E.isLeft(found)) return E.left(unavailable(found.left.reason))
    const signal = AbortSignal.any([gone, AbortSignal.timeout(withinMs)])
    // A check stores the groups that have confirmed in the receipt, because Kafka may have deleted their confirmations.
    const part = newestRecords(maxConfirmations)
    const groupsOf = found.right.length === 0 ? () => [] : await confirmations(kafka, accountId, { part, signal })
    const erasures = found.right.slice(0, maxReceipts).map((document) => {
      const { receipt, confirmedBy } = reported(document)
      return { receipt, confirmedBy: [...new Set([...confirmedBy, ...groupsOf(receipt._id)])].sort() }
    })
    const body: ErasuresAnswer = { cut: found.right.length > maxReceipts || signal.aborted, erasures }
    return ok(body)
  },
})
