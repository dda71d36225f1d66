import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { limitedLog } from '../../src/app/limited-log.ts'
import type { Log } from '../../src/bridge/shared/log.ts'

const given = () => {
  const lines: Array<readonly [level: string, fields: object, message: string]> = []
  const at = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  let timers: Array<() => void> = []
  const passMinute = () => {
    const due = timers
    timers = []
    for (const run of due) run()
  }
  return { lines, passMinute, log: limitedLog(log, (run) => void timers.push(run)) }
}

const times = (n: number, act: (i: number) => void) => {
  for (let i = 0; i < n; i++) act(i)
}

const limited = suite('limited log')

limited('a line that is repeated 158,385 times is written 20 times and counted once', () => {
  const { lines, passMinute, log } = given()
  times(158_385, (partition) => log.warn({ partition }, 'not caught up'))
  assert.is(lines.length, 20)
  passMinute()
  assert.equal(lines.slice(20), [['warn', { leftOut: 158_365 }, 'not caught up']])
  log.warn({ partition: 1 }, 'not caught up')
  assert.equal(lines.at(-1), ['warn', { partition: 1 }, 'not caught up'])
})

limited('lines of one account, topic, group or level leave those of the others alone', () => {
  const { lines, passMinute, log } = given()
  times(1_000, () => log.warn({ accountId: 'loud' }, 'a request was refused'))
  log.warn({ accountId: 'quiet' }, 'a request was refused')
  log.error({ accountId: 'loud' }, 'a request was refused')
  log.warn({ accountId: 'loud' }, 'another message')
  assert.is(lines.length, 23)
  passMinute()
  assert.equal(lines.slice(23), [['warn', { accountId: 'loud', leftOut: 980 }, 'a request was refused']])
})

limited('invented accounts do not get past the limit', () => {
  const { lines, passMinute, log } = given()
  times(100_000, (i) => log.warn({ accountId: `invented-${i}` }, 'a command was refused'))
  assert.is(lines.length, 1_020)
  passMinute()
  assert.equal(lines.slice(1_020), [['warn', { leftOut: 98_980 }, 'a command was refused']])
})

limited('a minute without repetitions ends without a line', () => {
  const { lines, passMinute, log } = given()
  log.info({}, 'the bridge is ready')
  passMinute()
  assert.equal(lines, [['info', {}, 'the bridge is ready']])
})

limited.run()
