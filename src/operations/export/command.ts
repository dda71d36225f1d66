import { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { Erasures } from '../../mongo/erasures.ts'
import { printableLines } from '../../shared/printable.ts'
import { writePrivateFile } from '../../shared/private-file.ts'
import { notRecorded, type RecordAction } from '../audit.ts'
import { type PersonOptions, requestOf, whoIsMeant, withPersonOptions } from '../erase/person-options.ts'
import { exportPerson } from './everything.ts'

type Servers = {
  readonly erasures: Erasures
  readonly recordAction: RecordAction
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}
type WithServers = (run: (servers: Servers) => Promise<number>) => Promise<void>

/** `export`: all data that the bridge has about one person, for a request of access (GDPR, articles 15 and 20). */
export const exportCommand = (withServers: WithServers): Command =>
  withPersonOptions(new Command('export'))
    .description(
      'Write everything about one person as JSON: the documents of all views, the whole timeline with the data of each event, and enrichments. Persons are found as `erase` finds them.',
    )
    .option('--out <file>', 'write to this file, which only this user can read, and not to the terminal')
    .action((options: PersonOptions & { readonly out?: string }) =>
      withServers(async ({ erasures, recordAction, out, err }) => {
        const request = requestOf(options)
        if (request === undefined) {
          err(whoIsMeant)
          return 1
        }
        const everything = await exportPerson({ erasures, recordAction }, request)
        if (E.isLeft(everything)) {
          err(notRecorded(everything.left))
          return 1
        }
        const { documents, enrichments } = everything.right
        const isStored = Object.keys(documents).length > 0
        if (!isStored && enrichments.length === 0) {
          err('No person with this id or address is stored.')
          return 1
        }
        const json = JSON.stringify(everything.right, null, 2)
        if (options.out === undefined) out(printableLines(json))
        else writePrivateFile(options.out, `${json}\n`)
        return isStored ? 0 : 1
      }),
    )
