import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../../contracts/events/index.ts'
import { ceType } from '../../../../contracts/topics.ts'
import {
  type Marks,
  marksByType,
  marksOf,
  merge,
  split,
  withBlanks,
} from '../../../../src/bridge/domain/person/personal-data.ts'
import { commands, documents, events } from '../../../../src/tools/publishing/catalogue.ts'
import { arbitraryOf } from '../../../support/arbitraries.ts'
import { anEvent, at } from '../../../support/given-events.ts'
import { jsonValue } from '../../../support/json.ts'

const personalData = suite('personal data')

for (const { name, codec } of [...events, ...commands, ...documents]) {
  personalData(`every leaf of ${name} is marked as personal or not`, () => {
    assert.not.throws(() => marksOf(codec))
  })
}

personalData('a field without a mark is an error that names it', () => {
  const codec = t.type({ inner: t.type({ note: t.string }) }, 'Odd')
  assert.throws(() => marksOf(codec), /^Odd\.inner\.note: not marked as personal or readable/)
})

const marksOfType = (type: DomainEvent['type']): Marks => marksByType.get(ceType(type)) ?? 'personal'

personalData('a split event keeps types, times, ids and counts readable, but not names and texts', () => {
  const { data } = anEvent('ChatFinished', 'e1', at('10:00:00'), {
    agents: [{ id: 'a1', name: 'Bob' }],
    chat: {
      messages: [{ message: 'My name is Ann', timestamp: at('09:59:00'), type: 'visitor' }],
      blacklisted: false,
      rate: 'good',
    },
    extra: { vip: true },
  })
  assert.equal(split(marksOfType('ChatFinished'), data), {
    open: {
      accountId: 'acme',
      widgetId: 'w1',
      visitor: { number: '2746', chatsCount: 3 },
      chatId: '2037',
      agents: [{ id: 'a1' }],
      chat: { messages: [{ timestamp: at('09:59:00'), type: 'visitor' }], blacklisted: false, rate: 'good' },
    },
    personal: {
      accountId: null,
      widgetId: null,
      visitor: { number: null, chatsCount: null, name: 'Ann' },
      chatId: null,
      agents: [{ id: null, name: 'Bob' }],
      chat: {
        messages: [{ message: 'My name is Ann', timestamp: null, type: null }],
        blacklisted: null,
        rate: null,
      },
      extra: { vip: true },
    },
  })
})

personalData('unknown fields of an event are personal', () => {
  assert.equal(split(marksOf(t.type({})), { later: 'Ann', list: ['Ann'] }), {
    open: {},
    personal: { later: 'Ann', list: ['Ann'] },
  })
})

for (const event of DomainEvent.types) {
  const type = event.name as DomainEvent['type']
  const data: t.Mixed = event.type.types[0].props.data
  const marks = marksOfType(type)

  personalData(`${type}: both parts merged are the same text as before`, () => {
    fc.assert(
      fc.property(arbitraryOf(data), (value) => {
        const { open, personal } = split(marks, value)
        assert.is(JSON.stringify(merge(open, JSON.parse(JSON.stringify(personal)))), JSON.stringify(value))
      }),
    )
  })

  personalData(`${type}: the readable part alone is still a valid event`, () => {
    fc.assert(
      fc.property(arbitraryOf(data), (value) => {
        assert.ok(E.isRight(data.decode(withBlanks(marks, split(marks, value).open))))
      }),
    )
  })

  personalData(`${type}: any other JSON also stays the same after split and merge`, () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), jsonValue()), (value) => {
        const { open, personal } = split(marks, value)
        assert.is(JSON.stringify(merge(open, personal)), JSON.stringify(value))
      }),
    )
  })
}

personalData('a field such as __proto__ is kept', () => {
  const text = '{"__proto__":{"name":"Ann"},"chatId":"2037"}'
  const { open, personal } = split(marksOfType('ChatFinished'), JSON.parse(text))
  assert.is(JSON.stringify(merge(open, personal)), text)
})

personalData.run()
