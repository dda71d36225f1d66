import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { enrichmentKeys, resolvePerson } from '../../domain/person.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import { actionOn, notRecorded, type RecordAction } from '../audit.ts'
import { type PersonOptions, requestOf, whoIsMeant, withPersonOptions } from '../erase/person-options.ts'
import type { Request } from '../erase/plan.ts'

type Servers = {
  readonly erasures: Erasures
  readonly recordAction: RecordAction
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}
type WithServers = (run: (servers: Servers) => Promise<number>) => Promise<void>

/** Everything that the views and enrichments say about a person: the bridge's own notes are left out. */
const everythingOf = async (
  erasures: Pick<Erasures, 'findLinks' | 'findDocuments' | 'enriched'>,
  { accountId, start, also }: Request,
) => {
  const person = await resolvePerson(erasures.findLinks(accountId), start, also)
  const documents: Record<string, object[]> = {}
  for await (const { view, document } of erasures.findDocuments(accountId, person)) {
    const { applied, seen, seenEarlier, contentHashes, ...told } = document
    documents[view] = [...(documents[view] ?? []), told]
  }
  const enrichments = await erasures.enriched(enrichmentKeys(accountId, person))
  const { identities, likely } = person
  return {
    accountId,
    identities,
    likely,
    documents,
    enrichments: enrichments.map(({ _id, value }) => ({ key: _id, value })),
  }
}

/** `export`: what the bridge has about one person, for a request of access (GDPR, articles 15 and 20). */
export const exportCommand = (withServers: WithServers): Command =>
  withPersonOptions(new Command('export'))
    .description(
      'Write everything about one person as JSON: the documents of all views, the whole timeline with the data of each event, and enrichments. Persons are found as `erase` finds them.',
    )
    .option('--out <file>', 'write it there, for this user alone, and not to the terminal')
    .action((options: PersonOptions & { readonly out?: string }) =>
      withServers(async ({ erasures, recordAction, out, err }) => {
        const request = requestOf(options)
        if (request === undefined) {
          err(whoIsMeant)
          return 1
        }
        const recorded = await recordAction(actionOn('export', request))
        if (E.isLeft(recorded)) {
          err(notRecorded(recorded.left))
          return 1
        }
        const everything = await everythingOf(erasures, request)
        const json = JSON.stringify(everything, null, 2)
        if (options.out === undefined) out(json)
        else writeFileSync(options.out, `${json}\n`, { mode: 0o600 })
        return Object.keys(everything.documents).length === 0 ? 1 : 0
      }),
    )
