import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sampleFiles } from '../../../src/tools/publishing/files.ts'
import { checkedIn, folder, generated } from './current.ts'

const published = suite('contracts/published')

published('equals the output of `npm run contracts`, file by file', () => {
  assert.equal(Object.keys(checkedIn), [...generated.keys()].sort())
  for (const [path, text] of generated) assert.fixture(checkedIn[path] ?? '', text, path)
})

published('has beside it the plain samples of the events, as `npm run contracts` writes them', () => {
  for (const [path, text] of sampleFiles) assert.fixture(readFileSync(join(folder, '..', path), 'utf8'), text, path)
})

published.run()
