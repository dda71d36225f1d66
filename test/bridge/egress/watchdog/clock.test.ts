import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../../contracts/primitives.ts'
import { simulation } from '../support/simulation.ts'
import { projected, sent } from '../support/talk.ts'
import { serviceEvent } from '../support/values.ts'

const test = suite('the watchdog when the wall clock is set')

const aMinute = 60_000
const anHour = 60 * aMinute

/** A simulation whose wall clock can be set. All processes use the same clock. */
const withWallClock = () => {
  let step = 0
  const wall = () => new Date(Date.parse(w.time.now()) + step).toISOString() as Instant
  const w: ReturnType<typeof simulation> = simulation({ ports: { now: wall } })
  const set = (ms: number) => {
    step += ms
  }
  const clientWrites = (id: string, chatId: string) =>
    w.log.appendEvent(serviceEvent('ClientMessageReceived', id, wall(), chatId))
  return { w, set, clientWrites }
}

for (const [way, ms] of [
  ['back', -anHour],
  ['forward', anHour],
] as const) {
  test(`one hour ${way}: a waiting client is handed over after replyWithin, and so is a client who writes then`, async () => {
    const { w, set, clientWrites } = withWallClock()
    await w.start()
    clientWrites('m1', 'a')
    await w.time.pass(5000)
    set(ms)
    clientWrites('m2', 'b')
    await w.time.pass(aMinute)
    assert.equal(sent(w), [
      ['watchdog-m1', 10_000],
      ['watchdog-m2', 15_000],
    ])
  })
}

test('one hour back and a restart: the waiting time of a client counts from the restart', async () => {
  for (const where of ['the log', 'the views']) {
    const { w, set, clientWrites } = withWallClock()
    const first = await w.start()
    clientWrites('m1', 'a')
    await w.time.pass(5000)
    first.lose()
    set(-anHour)
    w.log.appendEvent(serviceEvent('ChatClosed', 'e1', undefined, 'b'))
    if (where === 'the views') projected(w, 2)
    await w.start()
    await w.time.pass(aMinute)
    assert.equal(sent(w), [['watchdog-m1', 15_000]], where)
  }
})

test.run()
