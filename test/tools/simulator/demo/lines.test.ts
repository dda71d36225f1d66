import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  checkLine,
  detailLine,
  headingLines,
  stepLine,
  summaryLines,
} from '../../../../src/tools/simulator/demo/lines.ts'
import { plain } from '../../../../src/tools/simulator/demo/paint.ts'

const lines = suite('lines of the demo')

lines('an act, a step and its expectations are below each other', () => {
  assert.equal(
    [
      ...headingLines(plain, 'Answered by the bot', 'An example bot reads and writes.'),
      stepLine(plain, 8, 'CLIENT_MESSAGE · the client writes'),
      checkLine(plain, true, 'answer', '200 {"result":"ok"}', 12),
      checkLine(plain, false, 'Kafka', 'not in the log', 8000),
      detailLine(plain, 'id  {}'),
    ],
    [
      '',
      `── Answered by the bot ${'─'.repeat(81)}`,
      '   An example bot reads and writes.',
      '',
      '   8 CLIENT_MESSAGE · the client writes',
      `    ✓ answer   ${'200 {"result":"ok"}'.padEnd(82)}  12 ms`,
      `    ✗ Kafka    ${'not in the log'.padEnd(80)}  8000 ms`,
      '               id  {}',
    ],
  )
})

lines('a too long text is cut', () => {
  assert.is(checkLine(plain, true, 'view', 'x'.repeat(200), 5).length, 104)
  assert.is(detailLine(plain, 'x'.repeat(200)), `${' '.repeat(15)}${'x'.repeat(88)}…`)
})

lines('a long text is broken between words', () => {
  const text = headingLines(plain, 'Title', 'word '.repeat(40).trim()).slice(2, -1)
  assert.ok(text.length > 1 && text.every((line) => line.length < 104 && line.endsWith('word')))
})

lines('the summary counts met and failed expectations', () => {
  const score = { steps: 3, failedSteps: 0, checks: 9, failedChecks: 0 }
  assert.equal(summaryLines(plain, score, 1234), ['', '✓ 3 steps, 9 expectations met in 1.2 s'])
  assert.equal(summaryLines(plain, { ...score, failedSteps: 1, failedChecks: 2 }, 1234), [
    '',
    '✗ 1 of 3 steps failed, 2 of 9 expectations not met in 1.2 s',
  ])
})

lines.run()
