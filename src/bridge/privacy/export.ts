import * as E from 'fp-ts/lib/Either.js'
import type { Identity } from '../domain/person/ids.ts'
import { enrichmentKeys, type Person, resolvePerson } from '../domain/person/person.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import type { Erasures } from '../mongo/erasures.ts'
import { actionOn } from '../operations/audit.ts'
import { type Accounts, operation, stop } from '../operations/operation.ts'
import { anyText } from '../operations/options.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { contradictsItself } from './erase/plan.ts'
import { personOptions, requestOf, whoIsMeant, whoIsNot, whoseIsIt } from './person-options.ts'
import { notCurrent, viewsReachEnd } from './views-current.ts'

type Everything = Pick<Person, 'identities' | 'likely'> & {
  readonly accountId: string
  readonly documents: Readonly<Record<string, ReadonlyArray<object>>>
  readonly enrichments: ReadonlyArray<{ readonly key: string; readonly value?: unknown }>
}

/** All documents and enrichments of a person, without the bridge's internal fields. */
const everythingOf = async (
  erasures: Pick<Erasures, 'findDocuments' | 'enriched'>,
  accountId: string,
  person: Person,
): Promise<Everything> => {
  const documents: Record<string, object[]> = {}
  for await (const { view, document } of erasures.findDocuments(accountId, person)) {
    const { applied, seen, seenEarlier, contentHash, ...visible } = document
    documents[view] ??= []
    documents[view].push(visible)
  }
  const enriched = await erasures.enriched(enrichmentKeys(accountId, person))
  const enrichments = enriched.map(({ _id, value }) => ({ key: _id, value }))
  const { identities, likely } = person
  return { accountId, identities, likely, documents, enrichments }
}

/** `start`: who was asked for. `isEmpty`: nothing is stored. */
export type Exported = {
  readonly start: Identity
  readonly everything: Everything
  readonly isEmpty: boolean
  readonly isInFile: boolean
}

/** All data that the bridge has about one person, for a request of access (GDPR, articles 15 and 20). */
export const exportPerson = operation({
  name: 'export',
  summary: 'write everything about one person as JSON',
  description:
    'Write everything about one person as JSON: the documents of all views, the whole timeline with the data of each event, and enrichments. Persons are found as `erase` finds them. It waits until the views have everything that the topics have, and refuses if they do not.',
  options: {
    ...personOptions,
    out: {
      about: 'write to this file, which only this user can read, and not to the terminal',
      value: 'file',
      read: anyText,
    },
  },
  needs: { accounts: true, erasures: true, kafka: true },
  select: async (
    {
      kafka,
    }: Accounts & {
      readonly erasures: Pick<Erasures, 'findLinks' | 'findDocuments' | 'enriched'>
      readonly kafka: Pick<KafkaPorts, 'ranges' | 'committedOffsets'>
    },
    { out, ...person },
    { withinMs },
  ) => {
    const request = requestOf(person)
    if (request === undefined) return stop('refused', whoIsMeant)
    if (contradictsItself(request)) return stop('refused', whoIsNot)
    if (!(await viewsReachEnd(kafka, { withinMs, clock: monotonic, sleep })))
      return stop('unavailable', `Nothing was exported. ${notCurrent}`)
    return E.right({ request, out })
  },
  action: ({ request }) => actionOn('export', request),
  act: async ({ erasures }, { request, out }) => {
    const { accountId, start, also, except } = request
    const person = await resolvePerson(erasures.findLinks(accountId), start, also, [], except)
    const whose = whoseIsIt(person)
    if (whose !== undefined) return stop('refused', whose)
    const everything = await everythingOf(erasures, accountId, person)
    const isEmpty = Object.keys(everything.documents).length === 0 && everything.enrichments.length === 0
    const isInFile = !isEmpty && out !== undefined
    const files = isInFile ? [{ path: out, text: `${JSON.stringify(everything, null, 2)}\n` }] : []
    return E.right({ code: isEmpty ? 1 : 0, files, result: { start, everything, isEmpty, isInFile } })
  },
})
