import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  failedAgain,
  outcomeWords,
  redriveEndWords,
  redriveEventWords,
  sentIn,
} from '../../src/console/pages/dead-letters/redrive-outcome.ts'

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

const letter = { id: '10/1', origin: 'bot-replies/10/2', consumer: 'egress', cause: 'invalid' }
test('a letter that was not sent is a sentence with the reason', () =>
  assert.is(
    redriveEventWords({ kind: 'kept', letter, why: { kind: 'redriven', times: 3 } }),
    'Letter 10/1: refused. It is record bot-replies/10/2, and failed in egress: Breaks its contract; it was sent again 3 times.',
  ))

const none = { done: 0, planned: 0, before: 0, kept: 0, failed: 0 }
for (const [kind, result, said, sent] of [
  ['dead-letters', { tally: { ...none, done: 1 } }, '1 sent.', 1],
  [
    'dead-letters',
    { tally: { ...none, planned: 2, before: 1 }, limit: 2 },
    '2 would be sent, 1 sent before. There may be more.',
    2,
  ],
  ['quarantine', { tally: { ...none, kept: 1 } }, '1 not processed.', 0],
  [
    'dead-letters',
    { tally: none, trouble: { kind: 'busy' } },
    'Another redrive is running: wait until it has ended.',
    0,
  ],
] as const)
  test(`a redrive has ended: ${said}`, () => {
    const end = { code: 0, result }
    assert.equal([redriveEndWords(kind, end), sentIn(end)], [said, sent])
  })

test.run()
