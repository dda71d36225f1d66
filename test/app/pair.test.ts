import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { afterExit } from '../../src/app/pair.ts'

const test = suite('a process of the bridge that has ended by itself')

const back = { name: 'back', isBySignal: false, ranMs: 5_000, wereReady: true, failures: 0 } as const
const again = (failures: number, pauseMs: number) => ({ do: 'start again', failures, pauseMs })
const end = { do: 'end the bridge' }

const rows: ReadonlyArray<readonly [name: string, given: Parameters<typeof afterExit>[0], then: object]> = [
  ['without front the bridge ends', { ...back, name: 'front' }, end],
  ['also if a signal has killed it', { ...back, name: 'front', isBySignal: true }, end],
  ['back starts again after a second', back, again(1, 1_000)],
  ['and waits longer each time', { ...back, failures: 3 }, again(4, 8_000)],
  ['30 s at most', { ...back, failures: 50 }, again(51, 30_000)],
  ['after a minute of work it counts from the beginning', { ...back, failures: 9, ranMs: 60_001 }, again(1, 1_000)],
  ['back that gives up before both were ready ends the bridge', { ...back, wereReady: false }, end],
  [
    'back that is killed before both were ready starts again',
    { ...back, wereReady: false, isBySignal: true },
    again(1, 1_000),
  ],
]
for (const [name, given, then] of rows) test(name, () => assert.equal(afterExit(given), then))

test.run()
