import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Change } from '../../src/domain/ports.ts'
import { chooseDrift } from '../../src/mongo/drift.ts'

const choosing = suite('which entries of drift are created')

const evolve = () => []
const change = (id: string, more: Partial<Change> = {}): Change => ({
  view: 'drift',
  id: `acme/${id}`,
  evolve,
  instead: { view: 'drift', id: 'acme/others', evolve },
  ...more,
})
const place = { topic: 'chats', partition: 1 } as const
const live = (view: string) => view

const chosen = async (
  changes: ReadonlyArray<Change>,
  { entries = [], present = [] }: { entries?: ReadonlyArray<object>; present?: ReadonlyArray<string> } = {},
) => {
  const ports = {
    entries: async () => entries as never,
    present: async (_: string, ids: ReadonlyArray<string>) => ids.filter((id) => present.includes(id)),
    count: async () => present.length,
  }
  return (await chooseDrift(ports, 3)(changes, live)).map(({ id }) => id)
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
