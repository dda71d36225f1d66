import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runOperation } from '../support/operation.ts'

const before = new Date('2026-01-31T12:00:00Z')

const options = suite('options of commands')

options('after the name of a command below another belong to it, although both have them', async () => {
  const kept: unknown[] = []
  const silentPersons = {
    retainStates: async () => [{ _id: 'acme', waiting: { persons: 21, limit: 20, before, since: before } }],
    keepRelease: async (account: string, { by }: { readonly by: string }) => void kept.push([account, by]),
  }
  const args = ['erase', 'release', '--account', 'acme', '--yes', '--by', 'officer']
  assert.is((await runOperation(args, { silentPersons })).code, 0)
  assert.equal(kept, [['acme', 'officer']])
})

options('that need a confirmation do nothing without it', async () => {
  const silentPersons = {
    retainStates: async () => [{ _id: 'acme', waiting: { persons: 21, limit: 20, before, since: before } }],
  }
  const { code, err } = await runOperation(['erase', 'release', '--account', 'acme'], { silentPersons })
  assert.equal([code, err], [1, ['Nothing was released. Answer yes, or use --yes.']])
})

options.run()
