import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { groupsOf } from '../../../src/bridge/mongo/apply.ts'
import { unlessSwapping } from '../../../src/bridge/mongo/rebuild/swap.ts'
import { pauseAfter } from '../../../src/bridge/mongo/stats-refresher.ts'
import { chunks } from '../../../src/bridge/shared/slices.ts'
import type { Change } from '../../../src/bridge/views/document.ts'

const groups = suite('changes by document')

const append = (view: 'chats' | 'calls', id: string, word: string): Change => ({
  view,
  id,
  evolve: (current) => [{ words: [...((current as { words?: string[] } | undefined)?.words ?? []), word] } as never],
})

groups('have one group for each document, with its changes in their order', () => {
  const given = [
    append('chats', 'a', '1'),
    append('calls', 'a', '2'),
    append('chats', 'b', '3'),
    append('chats', 'a', '4'),
  ]
  assert.equal(
    groupsOf(given).map(({ collection, id, evolve }) => [collection, id, ...evolve({ words: ['0'] } as never)]),
    [
      ['chats', 'a', { words: ['0', '1', '4'] }],
      ['calls', 'a', { words: ['0', '2'] }],
      ['chats', 'b', { words: ['0', '3'] }],
    ] as unknown,
  )
})

groups('are new only in a view whose documents are written once, and unless a marker of an erasure names them', () => {
  const change = (view: string, where?: Change['where']): Change => ({
    view,
    id: 'a',
    evolve: () => [],
    ...(where && { where }),
  })
  const given = [change('chats'), change('timeline'), change('timeline', { chatId: '2037' })]
  assert.equal(
    given.map((each) => groupsOf([each])[0]?.isNew),
    [undefined, true, undefined],
  )
})

groups('are split into chunks with all items in order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 9 }), (items, size) => {
      const pieces = chunks(items, size)
      assert.equal(pieces.flat(), items)
      assert.ok(pieces.every(({ length }) => length > 0 && length <= size))
    }),
  )
})

groups('wait for the end of a swap before they are applied, and ask once', async () => {
  let asked = 0
  const log: string[] = []
  const apply = unlessSwapping(
    async () => ++asked > 2,
    async () => void log.push('apply'),
    async () => void log.push('sleep'),
  )
  await apply([])
  assert.equal([asked, log], [3, ['sleep', 'sleep', 'apply']])
})

groups('slow statistics use a fiftieth of the time, unless readers would wait for more than 5 s', () => {
  assert.equal([0, 10, 50, 100, 4_000].map(pauseAfter), [500, 500, 2_450, 4_900, 5_000])
})

groups.run()
