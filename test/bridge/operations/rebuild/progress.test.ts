import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { progressLines, progressText } from '../../../../src/bridge/operations/progress.ts'
import { countText, isSuspect } from '../../../../src/bridge/operations/rebuild/run.ts'

const progress = suite('the progress of a rebuild')

const check = (at: number, done: number) => ({ at, done, total: 12_000 })

progress('shows the work done, the rate and the time left', () => {
  assert.is(progressText([], 'records'), '0 of 0 records')
  assert.is(progressText([check(0, 0)], 'records'), '0 of 12,000 records')
  assert.is(progressText([check(0, 0), check(2_000, 2_000)], 'records'), '2,000 of 12,000 records, 1,000/s, 10 s left')
  assert.is(progressText([check(0, 0), check(2_000, 0)], 'records'), '0 of 12,000 records, 0/s')
  assert.match(progressText([check(0, 0), check(10_000, 600)], 'records'), /3 min 10 s left$/)
  assert.match(progressText([check(0, 0), check(10_000, 20)], 'records'), /1 h 39 min left$/)
})

progress('is a line every five seconds and at the end if there is no terminal', () => {
  let now = 0
  const lines: string[] = []
  const shown = progressLines(
    (line) => lines.push(line),
    () => now,
  )('replaying', 'records')
  for (const [at, done] of [
    [0, 0],
    [2_000, 100],
    [5_000, 500],
    [6_000, 600],
  ] as const) {
    now = at
    shown.at({ done, total: 600 }, at === 5_000 ? 'Kafka cannot be reached' : undefined)
  }
  shown.end()
  assert.equal(lines, [
    'replaying  0 of 600 records',
    'replaying  500 of 600 records, 100/s, 1 s left (waits: Kafka cannot be reached)',
    'replaying  600 of 600 records, 100/s, 0 s left',
  ])
})

progress('names the difference of the counts', () => {
  const counts = (live: number, rebuilt: number) => ({ view: 'chats' as const, live, rebuilt })
  assert.is(countText(counts(1_200, 1_200)), 'chats: 1,200 documents, the live view has 1,200: as many')
  assert.is(countText(counts(15, 12)), 'chats: 12 documents, the live view has 15: 3 fewer')
  assert.is(countText(counts(0, 12)), 'chats: 12 documents, the live view has 0: 12 more')
})

progress('does not warn about an empty view if no topic of the view could be read', () => {
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

progress.run()
