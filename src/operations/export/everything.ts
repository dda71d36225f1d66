import * as E from 'fp-ts/lib/Either.js'
import { enrichmentKeys, resolvePerson } from '../../domain/person.ts'
import type { Failure } from '../../domain/ports.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import { actionOn, type RecordAction } from '../audit.ts'
import type { Request } from '../erase/plan.ts'

type Ports = {
  readonly erasures: Pick<Erasures, 'findLinks' | 'findDocuments' | 'enriched'>
  readonly recordAction: RecordAction
}

type Everything = {
  readonly accountId: string
  readonly documents: Readonly<Record<string, ReadonlyArray<object>>>
  readonly enrichments: ReadonlyArray<{ readonly key: string; readonly value?: unknown }>
}

/**
 * All documents and enrichments of a person, without the bridge's internal fields. Left: the export cannot be recorded
 * on the topic `audit`, so nothing is returned.
 */
export const exportPerson = async (
  { erasures, recordAction }: Ports,
  request: Request,
): Promise<E.Either<Failure, Everything>> => {
  const recorded = await recordAction(actionOn('export', request))
  if (E.isLeft(recorded)) return recorded
  const { accountId, start, also } = request
  const person = await resolvePerson(erasures.findLinks(accountId), start, also)
  const documents: Record<string, object[]> = {}
  for await (const { view, document } of erasures.findDocuments(accountId, person)) {
    const { applied, seen, seenEarlier, contentHash, ...told } = document
    documents[view] ??= []
    documents[view].push(told)
  }
  const enriched = await erasures.enriched(enrichmentKeys(accountId, person))
  const enrichments = enriched.map(({ _id, value }) => ({ key: _id, value }))
  const { identities, likely } = person
  return E.right({ accountId, identities, likely, documents, enrichments })
}
