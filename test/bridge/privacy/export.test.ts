import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Identity } from '../../../src/bridge/domain/person/ids.ts'
import type { KafkaPorts } from '../../../src/bridge/kafka/kafka.ts'
import type { Erasures } from '../../../src/bridge/mongo/erasures.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { runOperation } from '../../support/operation.ts'
import { linksIn } from './erase/given-erasures.ts'

type Found = { readonly view: string; readonly document: object }

/** Runs the command. It finds these documents for every person. */
const run = (found: ReadonlyArray<Found>, ...args: string[]) => exportWith({ found }, ...args)

type Given = {
  /** How many of 5 records the projector has processed. */
  readonly processed?: number
  readonly found?: ReadonlyArray<Found>
  readonly enriched?: ReadonlyArray<object>
  readonly links?: ReadonlyArray<ReadonlyArray<Identity>>
}

const exportWith = ({ processed = 5, found = [], enriched = [], links = [] }: Given, ...args: string[]) => {
  const kafka = {
    ranges: async () => new Map([[0, { low: 0, high: 5 }]]),
    committedOffsets: async () => new Map([[0, processed]]),
  } as unknown as KafkaPorts
  const erasures = {
    findLinks: () => linksIn(links),
    findDocuments: async function* () {
      yield* found
    },
    enriched: async () => enriched,
  } as unknown as Erasures
  return runOperation(
    ['export', '--account', 'acme', ...(args.includes('--phone') ? [] : ['--client', '1233']), ...args],
    { accounts: [{ id: 'acme' }], erasures, kafka },
    { withinMs: 0 },
  )
}

const exporting = suite('export')

exporting('reports an unknown person, and writes no file', async () => {
  const file = join(temporaryFolder(), 'person.json')
  const nobody = { out: [], err: ['Nothing is stored about a person with this client id.'], code: 1 }
  assert.equal([await run([], '--out', file), await run([])], [nobody, nobody])
  assert.not.ok(existsSync(file))
})

exporting('names who has the phone number apart from the country code', async () => {
  const links: Identity[][] = [
    [
      { kind: 'client', value: '20' },
      { kind: 'phone', value: '020 7946 0958' },
    ],
  ]
  const { err } = await exportWith({ links }, '--phone', '+44 20 7946 0958')
  assert.match(
    err.join(),
    /^Nothing is stored about a person with this phone number\.\nLikely .* with --also client:20\)\.$/,
  )
})

exporting('all stored data is in the file', async () => {
  const file = join(temporaryFolder(), 'person.json')
  const said = await run([{ view: 'chats', document: { _id: 'acme/2037' } }], '--out', file)
  const out = [
    `${file} has everything that is stored about this person, and only you can read the file. Documents:`,
    '  chats  1',
  ]
  assert.equal(said, { out, err: [], code: 0 })
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).documents, { chats: [{ _id: 'acme/2037' }] })
})

exporting('enrichments alone are a success', async () => {
  const file = join(temporaryFolder(), 'person.json')
  const enriched = [{ _id: 'acme/1233', value: { tier: 'gold' } }]
  const { code, out } = await exportWith({ enriched }, '--out', file)
  assert.equal([code, out[1]], [0, '  enrichments  1'])
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).enrichments, [{ key: 'acme/1233', value: { tier: 'gold' } }])
})

exporting('exports nothing while the views lack events', async () => {
  const file = join(temporaryFolder(), 'person.json')
  const { code, err } = await exportWith(
    { processed: 4, found: [{ view: 'chats', document: { _id: 'acme/2037' } }] },
    '--out',
    file,
  )
  assert.is(code, 1)
  assert.match(err[0] ?? '', /^Nothing was exported\. The views lack events/)
  assert.not.ok(existsSync(file))
})

exporting.run()
