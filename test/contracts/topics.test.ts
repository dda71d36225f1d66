import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  archiveTopics,
  audit,
  enrichments,
  erasureConfirmations,
  eventTopics,
  expiringTopics,
  topics,
} from '../../contracts/topics.ts'

const test = suite('topics')

test('an erasure reaches every topic that may have personal data', () => {
  const namesOf = (of: ReadonlyArray<{ readonly name: string }>) => of.map(({ name }) => name).toSorted()
  const withoutPersonalData = [audit, erasureConfirmations]
  const reached = [...eventTopics, ...archiveTopics, enrichments, ...expiringTopics]
  assert.equal(namesOf([...reached, ...withoutPersonalData]), namesOf(topics))
  for (const { name, cleanUp } of expiringTopics) assert.type(cleanUp, 'object', name)
})

test.run()
