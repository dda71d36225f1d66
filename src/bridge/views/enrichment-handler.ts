import { isRight, left } from 'fp-ts/lib/Either.js'
import { segmentMarker } from '../../../contracts/topics.ts'
import type { HandleSlice } from '../domain/log/consumer.ts'
import type { DeadLetter } from '../domain/log/record.ts'
import type { FindErasedEnrichments } from '../domain/person/erased.ts'
import { type RecordedEnrichment, readEnrichment } from './enrichments.ts'

/** Stores enrichments in their order. Resolves when they are durable. Throws if the result is not known: retry. */
export type StoreEnrichments = (enrichments: ReadonlyArray<RecordedEnrichment>) => Promise<void>

type Deps = {
  readonly storeEnrichments: StoreEnrichments
  readonly deadLetter: DeadLetter
  readonly accountIds: ReadonlySet<string>
  readonly findErased: FindErasedEnrichments
}

/** Refused like a command of an unknown account: its writer would wait for agents to see what no agent ever sees. */
const unknownAccount = left({ cause: 'unknown-account', detail: 'key: expected an account of this bridge' })

/**
 * Stores the enrichments of a slice. One that is older than the erasure of its person counts as removed. An unreadable
 * record, or one of an unknown account, becomes a dead letter, and so does one of which only a part can be shown: its
 * letter names the other parts. An outage throws.
 */
export const enrichmentHandler =
  ({ storeEnrichments, deadLetter, accountIds, findErased }: Deps): HandleSlice =>
  async ({ records }) => {
    const read = records
      .filter(({ key }) => `${key}` !== segmentMarker)
      .map((record) => {
        const result = readEnrichment(record)
        const isKnown = !isRight(result) || accountIds.has(result.right.recorded.key.split('/', 1)[0] ?? '')
        return { record, result: isKnown ? result : unknownAccount }
      })
    const published = read.flatMap(({ record: { timestamp }, result }) =>
      isRight(result) ? [{ key: result.right.recorded.key, timestamp, enrichment: result.right.recorded }] : [],
    )
    const erased = await findErased(published)
    await storeEnrichments(
      published.map((each) => (erased.has(each) ? { ...each.enrichment, value: null } : each.enrichment)),
    )
    for (const { record, result } of read) {
      if (!isRight(result)) await deadLetter(record, result.left.cause, result.left.detail)
      else if (result.right.problems !== undefined) await deadLetter(record, 'contract', result.right.problems)
    }
  }
