import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { Enrichment, enrichmentFields } from '../../../contracts/commands/enrichment.ts'
import { readValue, type Undecodable, undecodable } from '../domain/decode-json.ts'
import { decodeParts, type Parts } from '../domain/decode-parts.ts'
import type { IncomingRecord } from '../domain/log/record.ts'
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
