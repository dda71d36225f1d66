import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stalls } from './progress.ts'

const at = (time: number, done: number, end: number) => ({
  at: time,
  done: new Map([['chats/0', done]]),
  ends: new Map([['chats/0', end]]),
})
const stall = suite('how long a partition makes no progress')

stall('it is the longest time with waiting records and none finished', () => {
  const samples = [at(0, 5, 9), at(100, 5, 12), at(400, 5, 20), at(500, 8, 20), at(600, 8, 20), at(700, 20, 20)]
  assert.equal(stalls(samples), new Map([['chats/0', 400]]))
})

stall('without waiting records there is no stall', () => {
  assert.equal(stalls([at(0, 5, 5), at(9_000, 5, 5), at(9_100, 6, 6)]), new Map())
})

stall('a partition that was not read yet is stalled from its first record on', () => {
  assert.equal(stalls([at(0, 0, 0), at(100, 0, 3), at(2_000, 0, 9), at(2_100, 9, 9)]), new Map([['chats/0', 2_000]]))
})

stall.run()
