import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { budget as budgetOf } from '../../../src/bridge/shared/budget.ts'

const test = suite('a budget')

test('a spent budget is available again at half, and notifies a waiting caller once', () => {
  const budget = budgetOf(100)
  let told = 0
  const tell = () => {
    told += 1
  }
  budget.take(60)
  budget.take(60)
  budget.whenHalfFree(tell)
  budget.whenHalfFree(tell)
  assert.is(budget.isSpent(), true)
  budget.giveBack(60)
  assert.equal([budget.isSpent(), told], [false, 0])
  budget.giveBack(20)
  budget.giveBack(20)
  assert.is(told, 1)
})

test.run()
