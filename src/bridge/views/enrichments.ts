import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { Enrichment, enrichmentFields } from '../../../contracts/commands/enrichment.ts'
import { decodeJson, readValue, type Undecodable, undecodable } from '../domain/decode-json.ts'
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

const readEnrichmentOf = (value: Buffer | null): E.Either<Undecodable, Enrichment | null> =>
  value === null
    ? E.right(null)
    : E.flatMap(readValue(value, { exact: true }), (json) =>
        json === null ? E.right(null) : decodeJson(Enrichment)(json),
      )

/** Reads an enrichment record. A null value, of Kafka or of JSON, removes the enrichment. */
export const readEnrichment = (record: IncomingRecord): E.Either<Undecodable, RecordedEnrichment> => {
  const { topic, partition, offset, epoch } = record
  return pipe(
    E.Do,
    E.bind('key', () => readKey(record.key)),
    E.bind('value', () => readEnrichmentOf(record.value)),
    E.map((it) => ({ ...it, topic, partition, offset, ...(epoch !== undefined && { epoch }) })),
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
