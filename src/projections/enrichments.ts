import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as J from 'fp-ts/lib/Json.js'
import { Enrichment, enrichmentFields } from '../../contracts/commands/enrichment.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import type { IncomingRecord } from '../domain/ports.ts'
import { advance, type Guard } from './applied.ts'
import type { Undecodable } from './decoded.ts'
import { storable } from './free-form.ts'

/** What a record of enrichments says: an enrichment for a key, or that there is none any more. */
export type RecordedEnrichment = Pick<IncomingRecord, 'topic' | 'partition' | 'offset'> & {
  readonly key: string
  readonly value: Enrichment | null
}

/** As it is kept; without `value` it is the memory of a removal, so that an older record does not bring it back. */
export type EnrichmentDocument = Pick<Guard, 'applied'> & { readonly _id: string; readonly value?: Enrichment }

const keyShape = new RegExp(`^[\\w.-]{1,64}/(${enrichmentFields.join('|')}):[^]+$`)

const text = (bytes: Buffer) =>
  E.tryCatch(
    () => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
    (): Undecodable => ({ cause: 'invalid', detail: 'not UTF-8' }),
  )

const invalid = (detail: string): Undecodable => ({ cause: 'invalid', detail })

const readKey = (key: Buffer | null) =>
  pipe(
    text(key ?? Buffer.alloc(0)),
    E.filterOrElse(
      (it) => keyShape.test(it),
      () => invalid(`key: expected <account id>/<field>:<value>, field one of ${enrichmentFields.join(', ')}`),
    ),
  )

const readValue = (value: Buffer | null): E.Either<Undecodable, Enrichment | null> => {
  if (value === null) return E.right(null)
  return pipe(
    text(value),
    E.chain((json) =>
      pipe(
        J.parse(json),
        E.mapLeft(() => invalid('not JSON')),
      ),
    ),
    E.chain((json) =>
      json === null
        ? E.right(null)
        : pipe(
            Enrichment.decode(json),
            E.mapLeft((errors) => invalid(describe(problemsOf(errors)))),
          ),
    ),
  )
}

/** Reads a record of enrichments; a null value, by Kafka's means or JSON's, says that there is none any more. */
export const readEnrichment = (record: IncomingRecord): E.Either<Undecodable, RecordedEnrichment> => {
  const { topic, partition, offset } = record
  return pipe(
    E.Do,
    E.bind('key', () => readKey(record.key)),
    E.bind('value', () => readValue(record.value)),
    E.map((it) => ({ ...it, topic, partition, offset })),
  )
}

/** The newest record of a key stays; one at or below the stored offset changes nothing. */
export const evolveEnrichment = (
  current: EnrichmentDocument | undefined,
  recorded: RecordedEnrichment,
): EnrichmentDocument => {
  const applied = advance(current?.applied, recorded)
  if (current !== undefined && applied === undefined) return current
  const { key, value } = recorded
  return { _id: key, applied: applied ?? {}, ...(value !== null && { value: storable(value) }) }
}
