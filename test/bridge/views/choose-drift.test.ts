import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { chooseDrift, type DriftChange } from '../../../src/bridge/views/drift.ts'

const choosing = suite('which entries of drift are created')

const evolve = () => []
const change = (id: string, more: Partial<DriftChange> = {}): DriftChange => ({
  view: 'drift',
  id: `acme/${id}`,
  evolve,
  instead: { view: 'drift', id: 'acme/others', evolve },
  ...more,
})
const place = { topic: 'chats', partition: 1 } as const

type Entry = { readonly _id: string }
const chosen = async (
  changes: ReadonlyArray<DriftChange>,
  { entries = [], present = [] }: { entries?: ReadonlyArray<Entry>; present?: ReadonlyArray<string> } = {},
) => {
  const documents: Readonly<Record<string, ReadonlyArray<Entry>>> = {
    timeline: entries,
    drift: present.map((_id) => ({ _id })),
  }
  const reads = {
    find: async (view: string, ids: ReadonlyArray<string>) =>
      (documents[view] ?? []).filter(({ _id }) => ids.includes(_id)),
    countOthers: async () => present.length,
  }
  return (await chooseDrift(3)(changes, reads)).map(({ id }) => id)
}

choosing('new entries beyond the limit are counted together as others; existing entries continue', async () => {
  const present = ['acme/a', 'acme/b']
  assert.equal(
    await chosen(
      ['a', 'c', 'd', 'c', 'e', 'b'].map((id) => change(id)),
      { present },
    ),
    ['acme/a', 'acme/c', 'acme/others', 'acme/c', 'acme/others', 'acme/b'],
  )
})

choosing('only the first record of an event is counted', async () => {
  const entries = [{ _id: 'acme/webhooks/e1', ...place, offset: 7 }]
  const of = (_id: string, offset: number) =>
    change(`${_id}-${offset}`, { firstOf: { ...place, _id: `acme/webhooks/${_id}`, offset } })
  assert.equal(await chosen([of('e1', 7), of('e1', 8), of('e2', 9)], { entries }), ['acme/e1-7', 'acme/e2-9'])
})

choosing.run()
