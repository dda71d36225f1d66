import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { failedAgain, outcomeWords } from '../../src/console/browser/redrive-outcome.ts'
import { redriveResultOf } from '../../src/console/browser/words.ts'

const test = suite('what became of letters that were sent again')

test('a letter has failed again if it is an earlier failure of another', () => {
  const letters = [{ earlier: [{ id: '0/1' }, { id: '0/3' }] }, { earlier: [] }, { earlier: [{ id: '0/4' }] }]
  assert.equal(
    [['0/3', '0/4', '0/5'], ['0/1', '0/3'], ['0/5'], []].map((ids) => failedAgain(ids, letters)),
    [2, 1, 0, 0],
  )
})

for (const [sent, failed, isAwaited, isOver, said] of [
  [6, 0, true, false, 'None has failed again so far. Waiting for the result…'],
  [6, 2, true, false, '2 failed again so far. Waiting for the result…'],
  [6, 2, false, false, '2 failed again so far. The others are not processed yet.'],
  [6, 0, false, true, 'None failed again.'],
  [6, 2, false, true, '2 failed again, and 4 did not.'],
  [6, 6, false, true, 'All 6 failed again. Fix the cause first.'],
  [1, 1, false, true, 'It failed again. Fix the cause first.'],
] as const)
  test(`${failed} of ${sent}, ${isAwaited ? 'awaited' : isOver ? 'over' : 'given up'}: ${said}`, () =>
    assert.is(outcomeWords({ sent, failed, isAwaited, isOver }), said))

test('the result of a letter is the first column of its line', () =>
  assert.equal(
    [
      'would be sent  10/1  bot-replies/10/2  egress  invalid',
      'refused        0/2  calls/0/1',
      'The limit is reached.',
    ].map(redriveResultOf),
    ['would be sent', 'refused', undefined],
  ))

test.run()
