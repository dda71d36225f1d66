import { enrichmentKeys, type Person } from '../../domain/person/person.ts'
import type { Erasures } from '../../mongo/erasures.ts'

export type Everything = Pick<Person, 'identities' | 'likely'> & {
  readonly accountId: string
  readonly documents: Readonly<Record<string, ReadonlyArray<object>>>
  readonly enrichments: ReadonlyArray<{ readonly key: string; readonly value?: unknown }>
}

/** All documents and enrichments of a person, without the bridge's internal fields. */
export const everythingOf = async (
  erasures: Pick<Erasures, 'findDocuments' | 'enriched'>,
  accountId: string,
  person: Person,
): Promise<Everything> => {
  const documents: Record<string, object[]> = {}
  for await (const { view, document } of erasures.findDocuments(accountId, person)) {
    const { applied, seen, seenEarlier, contentHash, ...told } = document
    documents[view] ??= []
    documents[view].push(told)
  }
  const enriched = await erasures.enriched(enrichmentKeys(accountId, person))
  const enrichments = enriched.map(({ _id, value }) => ({ key: _id, value }))
  const { identities, likely } = person
  return { accountId, identities, likely, documents, enrichments }
}
