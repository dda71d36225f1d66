import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Erasures } from '../../../src/mongo/erasures.ts'
import { exportCommand } from '../../../src/operations/export/command.ts'
import { temporaryFolder } from '../../support/folder.ts'

type Found = { readonly view: string; readonly document: object }

/** Runs the command. It finds these documents for every person. */
const run = async (found: ReadonlyArray<Found>, ...args: string[]) => {
  const said = { out: [] as string[], err: [] as string[], code: -1 }
  const erasures = {
    findLinks: () => async () => [],
    findDocuments: async function* () {
      yield* found
    },
    enriched: async () => [],
  } as unknown as Erasures
  const command = exportCommand(async (job) => {
    const recordAction = async () => E.right(undefined)
    const tell = { out: (line: string) => void said.out.push(line), err: (line: string) => void said.err.push(line) }
    said.code = await job({ erasures, recordAction, ...tell })
  })
  await command.parseAsync(['--account', 'acme', '--client', '1233', ...args], { from: 'user' })
  return said
}

const exporting = suite('export')

exporting('reports an unknown person, and writes no file', async () => {
  const file = join(temporaryFolder(), 'person.json')
  const nobody = { out: [], err: ['No person with this id or address is stored.'], code: 1 }
  assert.equal([await run([], '--out', file), await run([])], [nobody, nobody])
  assert.not.ok(existsSync(file))
})

exporting('all stored data is in the file', async () => {
  const file = join(temporaryFolder(), 'person.json')
  const said = await run([{ view: 'chats', document: { _id: 'acme/2037' } }], '--out', file)
  assert.equal(said, { out: [], err: [], code: 0 })
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).documents, { chats: [{ _id: 'acme/2037' }] })
})

exporting.run()
