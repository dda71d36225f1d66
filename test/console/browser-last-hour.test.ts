import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lastHourWords } from '../../src/console/pages/now/last-hour.ts'

const hour = suite('the last hour beside the same hour a week ago')

const weekAgo = 'in the same hour a week ago'
const cases: ReadonlyArray<readonly [events: number, weekAgo: number | null, words: string]> = [
  [1_412, 1_380, `In the last hour 1,412 events, about as many as ${weekAgo} (1,380, +2 %).`],
  [800, 1_000, `In the last hour 800 events, about as many as ${weekAgo} (1,000, −20 %).`],
  [794, 1_000, `In the last hour 794 events, fewer than ${weekAgo} (1,000, −21 %).`],
  [1_204, 1_000, `In the last hour 1,204 events, about as many as ${weekAgo} (1,000, +20 %).`],
  [1_206, 1_000, `In the last hour 1,206 events, more than ${weekAgo} (1,000, +21 %).`],
  [0, 40, `In the last hour no event, fewer than ${weekAgo} (40, −100 %).`],
  [8, 3, `In the last hour 8 events, about as many as ${weekAgo} (3, +167 %).`],
  [9, 3, `In the last hour 9 events, more than ${weekAgo} (3, +200 %).`],
  [7, 7, `In the last hour 7 events, as ${weekAgo}.`],
  [0, 0, `In the last hour no event, as ${weekAgo}.`],
  [3, 0, `In the last hour 3 events, but none ${weekAgo}.`],
  [3, null, 'In the last hour 3 events. No event of a week ago is stored, so there is nothing to compare with.'],
]
for (const [events, before, words] of cases)
  hour(`${events} events, ${before ?? 'not known'} a week ago`, () => assert.is(lastHourWords(events, before), words))

hour.run()
