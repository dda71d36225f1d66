import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkedIn, generated } from './current.ts'

const published = suite('contracts/published')

published('is what `npm run contracts` makes of the contracts, file by file', () => {
  assert.equal(Object.keys(checkedIn), [...generated.keys()].sort())
  for (const [path, text] of generated) assert.fixture(checkedIn[path] ?? '', text, path)
})

published.run()
