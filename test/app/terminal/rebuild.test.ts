import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addSample, paceOf, progressLines, progressText } from '../../../src/app/terminal/progress.ts'
import { rebuildWords } from '../../../src/app/terminal/rebuild.ts'
import type { RebuildEvent } from '../../../src/bridge/operations/rebuild/replay.ts'

const progress = suite('the progress of an operation')

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
  const show = progressLines(
    (line) => lines.push(line),
    () => now,
  )
  const shown = (done: number, waitsFor?: string, isOver = false) =>
    show(['replaying', 'records'], {
      kind: 'progress',
      step: 'replaying',
      done,
      total: 600,
      ...(waitsFor !== undefined && { waitsFor }),
      isOver,
    })
  for (const [at, done] of [
    [0, 0],
    [2_000, 100],
    [5_000, 500],
    [6_000, 600],
  ] as const) {
    now = at
    shown(done, at === 5_000 ? 'Kafka cannot be reached' : undefined)
  }
  shown(600, undefined, true)
  assert.equal(lines, [
    'replaying  0 of 600 records',
    'replaying  500 of 600 records, 100/s, 1 s left (waits: Kafka cannot be reached)',
    'replaying  600 of 600 records, 100/s, 0 s left',
  ])
})

progress('has a rate over the last ten seconds', () => {
  const check = (at: number, done: number) => ({ at, done, total: 5_000 })
  assert.equal(paceOf([]), { perSecond: undefined, secondsLeft: undefined })
  assert.equal(paceOf([check(0, 0)]), { perSecond: undefined, secondsLeft: undefined })
  assert.equal(paceOf([check(0, 1_000), check(2_000, 3_000)]), { perSecond: 1_000, secondsLeft: 2 })
  assert.equal(paceOf([check(0, 1_000), check(2_000, 1_000)]), { perSecond: 0, secondsLeft: undefined })
  assert.equal(paceOf([check(0, 4_000), check(2_000, 5_000)]), { perSecond: 500, secondsLeft: 0 })
  assert.equal(
    [check(0, 1), check(1_000, 2), check(11_000, 3)].reduce<ReadonlyArray<ReturnType<typeof check>>>(addSample, []),
    [check(1_000, 2), check(11_000, 3)],
  )
})

progress.run()

const rebuild = suite('what a rebuild says')

const none = { same: 0, different: 0, examples: [], older: 0, crowded: 0, moving: 0 }
const rows: ReadonlyArray<readonly [event: RebuildEvent, lines: ReadonlyArray<string>]> = [
  [
    { kind: 'counted', view: 'chats', live: 1_200, rebuilt: 1_200 },
    ['chats: 1,200 documents, the live view has 1,200: as many'],
  ],
  [{ kind: 'counted', view: 'chats', live: 15, rebuilt: 12 }, ['chats: 12 documents, the live view has 15: 3 fewer']],
  [{ kind: 'counted', view: 'chats', live: 0, rebuilt: 12 }, ['chats: 12 documents, the live view has 0: 12 more']],
  [
    { kind: 'compared', view: 'drift', ...none, same: 1, older: 1 },
    ['drift: 1 document is the same, 1 is older than the records that topics keep, and not compared'],
  ],
  [
    {
      kind: 'compared',
      view: 'chats',
      ...none,
      same: 1,
      different: 4,
      moving: 1,
      examples: [
        { id: 'acme/0', what: ['state', 'visitor.name'] },
        { id: 'acme/1', what: 'only live' },
        { id: 'acme/2', what: 'only rebuilt' },
      ],
    },
    [
      'chats: 1 document is the same, 4 are different, 1 was changing all the time and not compared',
      '  acme/0: state, visitor.name',
      '  acme/1: only the live view has it',
      '  acme/2: the live view lacks it',
      '  and 1 more',
    ],
  ],
  [{ kind: 'swapped', views: ['chats', 'calls'] }, ['Swapped: chats, calls.']],
]

for (const [event, lines] of rows)
  rebuild(`is printed: ${lines[0]}`, () => {
    assert.equal(event.kind === 'progress' ? [] : rebuildWords.event(event), lines)
  })

rebuild.run()
