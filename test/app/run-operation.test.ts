import { Command } from 'commander'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addOperations } from '../../src/app/command-line.ts'
import { commands } from '../../src/app/commands.ts'
import { operations as listed } from '../../src/app/operations.ts'
import { wordsOf } from '../../src/app/terminal/list.ts'
import type { AnyOperation } from '../../src/bridge/operations/operation.ts'
import { runOperation } from '../support/operation.ts'

const operations: ReadonlyArray<AnyOperation> = listed

const before = new Date('2026-01-31T12:00:00Z')

const accounts = [{ id: 'acme' }, { id: 'demo' }]

const options = suite('options of commands')

options('after the name of a command below another belong to it, although both have them', async () => {
  const kept: unknown[] = []
  const silentPersons = {
    retainStates: async () => [{ _id: 'acme', waiting: { persons: 21, limit: 20, before, since: before } }],
    keepRelease: async (account: string, { by }: { readonly by: string }) => void kept.push([account, by]),
  }
  const args = ['erase', 'release', '--account', 'acme', '--yes', '--by', 'officer']
  assert.is((await runOperation(args, { silentPersons, accounts })).code, 0)
  assert.equal(kept, [['acme', 'officer']])
})

options('that need a confirmation do nothing without it', async () => {
  const silentPersons = {
    retainStates: async () => [{ _id: 'acme', waiting: { persons: 21, limit: 20, before, since: before } }],
  }
  const { code, err } = await runOperation(['erase', 'release', '--account', 'acme'], { silentPersons, accounts })
  assert.equal([code, err], [1, ['Nothing was released. Answer yes, or use --yes.']])
})

options('that need a confirmation have words for the question', () => {
  for (const operation of operations)
    assert.is(operation.confirm !== undefined, wordsOf(operation).confirm !== undefined, operation.name)
})

/** What the operations need besides the account. */
const required: Readonly<Record<string, ReadonlyArray<string>>> = {
  'what-if': ['--from', '2026-01-30', '--to', '2026-01-31', '--group', 'bot'],
}
for (const { name, options: all } of operations)
  if ('account' in all)
    options(`that name an account which the accounts file lacks are refused: ${name}`, async () => {
      const never: object = new Proxy({}, { get: () => assert.unreachable('nothing else is asked') })
      const resources = new Proxy({}, { get: (_, resource) => (resource === 'accounts' ? accounts : never) })
      const args = [...name.split(' '), '--account', 'demoo', ...(required[name] ?? [])]
      const { code, out, err } = await runOperation(args, resources)
      assert.is.not(code, 0)
      assert.equal([out, err], [[], ['No account has the id demoo. Did you mean demo?']])
    })

options('of an account are in operations that have the accounts file', () => {
  const lacking = operations.filter(({ options: all, needs }) => 'account' in all && !needs.accounts)
  assert.equal(
    lacking.map(({ name }) => name),
    [],
  )
})

options('whose values may be left out have none then', async () => {
  const [playDemo] = commands.filter(({ name }) => name === 'demo')
  for (const [args, expected] of [
    [['demo'], undefined],
    [['demo', '--say'], []],
    [
      ['demo', '--say', 'Hello', 'I want a person'],
      ['Hello', 'I want a person'],
    ],
  ] as const) {
    const got: unknown[] = []
    const program = addOperations(new Command(), playDemo === undefined ? [] : [playDemo], async (_, values) => {
      got.push(Reflect.get(values, 'say'))
    })
    await program.parseAsync([...args], { from: 'user' })
    assert.equal(got, [expected])
  }
})

options.run()
