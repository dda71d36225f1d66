import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import { isRight, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { Enrichment, enrichmentFields } from '../../../contracts/commands/enrichment.ts'
import { segmentMarker } from '../../../contracts/topics.ts'
import { readValue, type Undecodable, undecodable } from '../domain/decode-json.ts'
import { decodeParts, type Parts } from '../domain/decode-parts.ts'
import type { HandleSlice } from '../domain/log/consumer.ts'
import type { DeadLetter, IncomingRecord } from '../domain/log/record.ts'
import type { FindErasedEnrichments } from '../domain/person/erased.ts'
import { advance, type Guard } from './applied.ts'
import { storable } from './free-form.ts'

/** The content of an enrichment record: an enrichment for a key, or null to remove it. */
export type RecordedEnrichment = Pick<IncomingRecord, 'topic' | 'partition' | 'offset' | 'epoch'> & {
  readonly key: string
  readonly value: Enrichment | null
}

/** The stored document. Without `value` it is a tombstone, so an older record does not restore a removed enrichment. */
export type EnrichmentDocument = Pick<Guard, 'applied'> & { readonly _id: string; readonly value?: Enrichment }

const keyShape = new RegExp(`^[\\w.-]{1,64}/(${enrichmentFields.join('|')}):[^]+$`)

const expectedKey = `key: expected <account id>/<field>:<value>, field one of ${enrichmentFields.join(', ')}`

const readKey = (key: Buffer | null): E.Either<Undecodable, string> => {
  const text = key !== null && isUtf8(key) ? key.toString() : ''
  return keyShape.test(text) ? E.right(text) : undecodable('invalid', expectedKey)
}

const decodeEnrichment = decodeParts<Enrichment>(Enrichment)

const readEnrichmentOf = (value: Buffer | null): E.Either<Undecodable, Parts<Enrichment | null>> =>
  value === null
    ? E.right({ value })
    : E.flatMap(
        readValue(value, { exact: true }),
        (json): E.Either<Undecodable, Parts<Enrichment | null>> =>
          json === null ? E.right({ value: json }) : decodeEnrichment(json),
      )

/** What was read of a record, and in words which parts of it are left out because they do not fit. */
export type ReadEnrichment = { readonly recorded: RecordedEnrichment; readonly problems?: string }

/**
 * Reads an enrichment record. A null value, of Kafka or of JSON, removes the enrichment. A part that is wrong or
 * unknown is left out, unless nothing else is there.
 */
export const readEnrichment = (record: IncomingRecord): E.Either<Undecodable, ReadEnrichment> => {
  const { topic, partition, offset, epoch } = record
  return pipe(
    E.Do,
    E.bind('key', () => readKey(record.key)),
    E.bind('parts', () => readEnrichmentOf(record.value)),
    E.map(({ key, parts: { value, problems } }) => ({
      recorded: { key, value, topic, partition, offset, ...(epoch !== undefined && { epoch }) },
      ...(problems !== undefined && { problems }),
    })),
  )
}

/** The newest record of a key counts. A record at or below the stored offset changes nothing. */
export const evolveEnrichment = (
  current: EnrichmentDocument | undefined,
  recorded: RecordedEnrichment,
): EnrichmentDocument => {
  const applied = advance(current?.applied, recorded)
  if (current !== undefined && applied === undefined) return current
  const { key, value } = recorded
  return { _id: key, applied: applied ?? {}, ...(value !== null && { value: storable(value) }) }
}

/** Stores enrichments in their order. Resolves when they are durable. Throws if the result is not known: retry. */
export type StoreEnrichments = (enrichments: ReadonlyArray<RecordedEnrichment>) => Promise<void>

/** Refused like a command of an unknown account: its writer would wait for agents to see what no agent ever sees. */
const unknownAccount = left({ cause: 'unknown-account', detail: 'key: expected an account of this bridge' })

/**
 * Stores the enrichments of a slice. One that is older than the erasure of its person counts as removed. An unreadable
 * record, or one of an unknown account, becomes a dead letter, and so does one of which only a part can be shown: its
 * letter names the other parts. An outage throws.
 */
export const enrichmentHandler =
  ({
    storeEnrichments,
    deadLetter,
    accountIds,
    findErased,
  }: {
    readonly storeEnrichments: StoreEnrichments
    readonly deadLetter: DeadLetter
    readonly accountIds: ReadonlySet<string>
    readonly findErased: FindErasedEnrichments
  }): HandleSlice =>
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
