import { isRight } from 'fp-ts/lib/Either.js'
import type { DeadLetter, HandleSlice } from '../domain/ports.ts'
import { type RecordedEnrichment, readEnrichment } from './enrichments.ts'

/** Keeps enrichments in their order and resolves when they are durable. A throw means 'not known, do it again'. */
export type StoreEnrichments = (enrichments: ReadonlyArray<RecordedEnrichment>) => Promise<void>

/** Keeps the enrichments of a slice; what cannot be read becomes a dead letter. An outage throws. */
export const enrichmentHandler =
  ({ storeEnrichments, deadLetter }: { storeEnrichments: StoreEnrichments; deadLetter: DeadLetter }): HandleSlice =>
  async ({ records }) => {
    const read = records.map((record) => ({ record, result: readEnrichment(record) }))
    await storeEnrichments(read.flatMap(({ result }) => (isRight(result) ? [result.right] : [])))
    for (const { record, result } of read) {
      if (!isRight(result)) await deadLetter(record, result.left.cause, result.left.detail)
    }
  }
