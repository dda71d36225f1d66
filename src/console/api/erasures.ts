import * as E from 'fp-ts/lib/Either.js'
import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { newestRecords } from '../../kafka/read-topic.ts'
import type { receiptsIn } from '../../mongo/console-privacy.ts'
import { confirmations } from '../../operations/erase/status.ts'
import type { ErasuresAnswer } from '../answers.ts'
import { type Handlers, ok, unavailable } from '../handler.ts'

export type ErasuresDeps = {
  readonly kafka: Pick<KafkaPorts, 'readTopic'>
  readonly readReceipts: ReturnType<typeof receiptsIn>
}

const maxReceipts = 100
const maxConfirmations = 10_000
const withinMs = 5_000

/** Removes the plan, which names the person, and HMACs that only the bridge can use. The requester's name stays. */
const reported = ({ plan, request, keys, confirmedBy = [], ...receipt }: ErasureDocument) => ({ receipt, confirmedBy })

export const erasuresHandlers = ({
  kafka,
  readReceipts,
}: ErasuresDeps): Handlers<'GET /api/accounts/:account/erasures'> => ({
  'GET /api/accounts/:account/erasures': async ({ accountId, signal: gone }) => {
    const found = await readReceipts(accountId, maxReceipts + 1)
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
