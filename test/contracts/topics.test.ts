import { isRight } from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ChatErased, DomainEvent } from '../../contracts/events/index.ts'
import { chatTopics, type Topic, topics, topicsOf } from '../../contracts/topics.ts'

const test = suite('topics')

test('every event has one topic; each topic of a chat or client has its marker of an erasure', () => {
  const several = DomainEvent.types.filter(({ name }) => topicsOf(name as DomainEvent['type']).length !== 1)
  assert.equal(
    several.map(({ name }) => name),
    ['ChatErased'],
  )
  const named = ChatErased.type.types[0].props.data.type.types[0].props.topic.keys
  assert.equal(chatTopics.map(({ name }) => name).toSorted(), Object.keys(named).toSorted())
})

test('every message of JSON has an example that its codec accepts', () => {
  for (const { name, content } of topics as ReadonlyArray<Topic>)
    if (content.kind === 'json')
      for (const example of Object.values(content.examples)) assert.ok(isRight(content.codec.decode(example)), name)
})

test.run()
