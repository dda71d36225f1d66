import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkedIn, generated } from './current.ts'

const published = suite('contracts/published')

published('equals the output of `npm run contracts`, file by file', () => {
  assert.equal(Object.keys(checkedIn), [...generated.keys()].sort())
  for (const [path, text] of generated) assert.fixture(checkedIn[path] ?? '', text, path)
})

published.run()
