import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Verdict } from '../../../../src/bridge/egress/delivery/classify.ts'
import {
  afterVerdict,
  giveBackLastResort,
  noPause,
  type Pause,
  pauseWaitMs,
  tryLastResort,
} from '../../../../src/bridge/egress/delivery/pause.ts'

const test = suite('a pause that the service requests')

const throttled: Verdict = { kind: 'retry', why: 'throttled', retryAfterMs: 60_000 }
const delivered: Verdict = { kind: 'delivered' }

/** At 1 s a reply gets a 429 with Retry-After of a minute. */
const paused = afterVerdict(noPause, false, throttled, 1000)

const rows: ReadonlyArray<readonly [name: string, pause: Pause, now: number, reply: number, lastResort: number]> = [
  ['without a 429 nobody waits', noPause, 1000, 0, 0],
  ['a reply waits as long as the service says, an invitation for 30 s', paused, 1000, 60_000, 30_000],
  ['nobody waits after the pause', paused, 61_000, 0, 0],
  [
    'a 429 without a time pauses for a second',
    afterVerdict(noPause, false, { kind: 'retry', why: 'throttled' }, 0),
    0,
    1000,
    1000,
  ],
  [
    'a shorter time does not end the pause',
    afterVerdict(paused, false, { ...throttled, retryAfterMs: 0 }, 2000),
    2000,
    59_000,
    29_000,
  ],
  [
    'a 429 on an invitation lets the next one wait for 30 s',
    afterVerdict(paused, true, throttled, 5000),
    5000,
    60_000,
    30_000,
  ],
  ['after an invitation began, the next one waits for 30 s', tryLastResort(paused, 31_000), 31_000, 30_000, 30_000],
  [
    'an invitation that was not made lets the next one follow',
    giveBackLastResort(tryLastResort(paused, 31_000), 32_000),
    32_000,
    29_000,
    0,
  ],
  [
    'after an invitation was accepted, the next one follows',
    afterVerdict(paused, true, delivered, 5000),
    5000,
    56_000,
    0,
  ],
  [
    'a reply that the service accepts does not let an invitation follow',
    afterVerdict(paused, false, delivered, 5000),
    5000,
    56_000,
    26_000,
  ],
  [
    'an outage of one attempt changes nothing',
    afterVerdict(paused, true, { kind: 'retry', why: 'outage' }, 5000),
    5000,
    56_000,
    26_000,
  ],
]

for (const [name, pause, now, reply, lastResort] of rows)
  test(name, () => {
    assert.equal([pauseWaitMs(pause, false, now), pauseWaitMs(pause, true, now)], [reply, lastResort])
  })

test.run()
