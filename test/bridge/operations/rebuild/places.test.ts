import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  cutOff,
  isReached,
  onlyArchived,
  placesOf,
  progressOf,
  watch,
} from '../../../../src/bridge/operations/rebuild/places.ts'
import { isSuspect } from '../../../../src/bridge/operations/rebuild/run.ts'

const places = suite('the position of a replay')

const logs = new Map([
  ['chats/0', { low: 0, high: 10 }],
  ['bot-replies/0', { low: 100, high: 120 }],
])

places('is counted in records, from the start to the end of each log', () => {
  assert.equal(progressOf(placesOf(logs, new Map())), { done: 0, total: 30 })
  const positions = new Map([
    ['chats/0', 4],
    ['bot-replies/0', 7],
  ])
  assert.equal(progressOf(placesOf(logs, positions)), { done: 4, total: 30 })
  assert.equal(progressOf(placesOf(logs, new Map([['chats/0', 15]]))), { done: 10, total: 30 })
})

places('is at the end when every partition is', () => {
  const at = (chats: number, replies: number) => {
    const positions = new Map([
      ['chats/0', chats],
      ['bot-replies/0', replies],
    ])
    return isReached(watch(new Map(), placesOf(logs, positions), 0), 0)
  }
  assert.equal([at(9, 120), at(10, 119), at(10, 120), at(11, 121)], [false, false, true, true])
})

places('is not at the end where records were deleted before they were read', () => {
  const deleted = placesOf(new Map([['chats/0', { low: 10, high: 10 }]]), new Map([['chats/0', 4]]))
  assert.is(isReached(watch(new Map(), deleted, 0), 0), false)
})

places('is at the end of bot-replies after two seconds without progress, but not of other topics', () => {
  const short = (source: string) => placesOf(new Map([[source, { low: 0, high: 10 }]]), new Map([[source, 9]]))
  const after = (source: string, ms: number) =>
    isReached(watch(watch(new Map(), short(source), 0), short(source), ms), ms)
  assert.equal([after('bot-replies/0', 1_999), after('bot-replies/0', 2_000)], [false, true])
  assert.is(after('chats/0', 60_000), false)
})

places('is in progress while the end of the log moves', () => {
  const ends = (high: number) =>
    placesOf(new Map([['bot-replies/0', { low: 0, high }]]), new Map([['bot-replies/0', 9]]))
  const watched = watch(watch(new Map(), ends(10), 0), ends(11), 2_000)
  assert.is(isReached(watched, 2_000), false)
})

places('names the logs that have lost their first records, except those with a retention', () => {
  assert.equal(cutOff(logs), [])
  assert.equal(cutOff(new Map([['calls/3', { low: 1, high: 9 }]])), ['calls/3'])
})

places('of a log that has lost its first records say whether the archive has them', () => {
  const lost = new Map(['calls/0', 'calls/1', 'quarantine/0'].map((source) => [source, { low: 1, high: 9 }]))
  const archives = new Map([
    ['archive-calls/0', { low: 0, high: 1 }],
    ['archive-calls/1', { low: 0, high: 0 }],
  ])
  assert.equal([onlyArchived(lost, archives), cutOff(lost, archives)], [['calls/0'], ['calls/1']])
})

places('of an empty view are suspect only if no topic of the view could be read', () => {
  const suspects = (...read: ReadonlyArray<string>) =>
    (
      [
        [5, 0],
        [0, 0],
        [5, 1],
      ] as const
    ).map(([live, rebuilt]) => isSuspect({ view: 'chats', live, rebuilt }, new Set(read)))
  assert.equal(suspects('calls'), [true, false, false])
  assert.equal(suspects('chats'), [false, false, false])
})

places.run()
