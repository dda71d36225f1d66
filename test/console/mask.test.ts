import fc from 'fast-check'
import type * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../contracts/events/index.ts'
import { ceType } from '../../contracts/topics.ts'
import { ChatDocument } from '../../contracts/views/chat.ts'
import type { TimelineDocument } from '../../contracts/views/timeline.ts'
import { dated } from '../../src/bridge/domain/dated.ts'
import { type Marks, marksByType, marksOf } from '../../src/bridge/domain/person/personal-data.ts'
import { isJsonObject } from '../../src/bridge/shared/json.ts'
import { evolveChat } from '../../src/bridge/views/chats.ts'
import { documentOf } from '../../src/console/documents.ts'
import { documentAnswer, storyEvent } from '../../src/console/mask.ts'
import { documents } from '../../src/tools/publishing/catalogue.ts'
import { arbitraryOf } from '../support/arbitraries.ts'
import { right } from '../support/either.ts'
import { anEvent, at, date, inLog } from '../support/given-events.ts'

const canary = 'CANARY'

/** The value with the canary in each personal leaf. Each object also gets a field that no contract knows. */
const planted = (marks: Marks, value: unknown): unknown => {
  if (marks === 'personal') return canary
  if (marks === 'readable' || value === null || value instanceof Date) return value
  if ('items' in marks) return (value as ReadonlyArray<unknown>).map((item) => planted(marks.items, item))
  if (!isJsonObject(value)) return value
  const marksOfField = (name: string): Marks =>
    'values' in marks ? marks.values : (marks.fields.get(name)?.marks ?? 'personal')
  const fields = Object.entries(value).map(([name, field]) => [name, planted(marksOfField(name), field)])
  return { ...Object.fromEntries(fields), ...('fields' in marks && { 'a new field': canary }) }
}

const mask = suite('masking')

for (const { name, codec } of documents) {
  const answer = documentAnswer(codec)
  const anyDocument = arbitraryOf(codec).map((json) => planted(marksOf(codec), right((codec as t.Mixed).decode(json))))

  mask(`a masked ${name} has no personal data and no unknown fields`, () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const masked = answer(document as object, 'masked')
        const text = JSON.stringify(masked)
        assert.not.ok(text.includes(canary), text)
        assert.ok(documentOf(codec as typeof ChatDocument).is(masked), text)
      }),
    )
  })

  mask(`an unmasked ${name} is complete except for the bridge's own notes`, () => {
    const notes = ['applied', 'seen', 'seenEarlier', 'contentHash', 'latestOf']
    fc.assert(
      fc.property(anyDocument, (document) => {
        const whole = Object.entries(JSON.parse(JSON.stringify(document)) as object)
        const kept = Object.fromEntries(whole.filter(([field]) => !notes.includes(field)))
        assert.equal(JSON.parse(JSON.stringify(answer(document as object, 'clear'))), kept)
      }),
    )
  })
}

for (const event of DomainEvent.types) {
  const type = event.name as DomainEvent['type']
  const marks = marksByType.get(ceType(type)) ?? 'personal'
  const data: t.Mixed = event.type.types[0].props.data

  mask(`masked data of ${type} has nothing personal and no extra`, () => {
    fc.assert(
      fc.property(arbitraryOf(data), (value) => {
        const entry = { type, time: date('10:00:00'), data: planted(marks, value), extra: canary }
        const text = JSON.stringify(storyEvent(entry as unknown as TimelineDocument, 'masked'))
        assert.not.ok(text.includes(canary), text)
      }),
    )
  })
}

const entry = (type: string, data: object | undefined) =>
  ({
    _id: 'acme/bot/e1',
    accountId: 'acme',
    type,
    time: date('10:00:00'),
    topic: 'bot-conversations',
    partition: 3,
    offset: 17,
    chatId: '2037',
    ...(data && { data, extra: '{"mood":"good"}' }),
  }) as unknown as TimelineDocument
const place = { topic: 'bot-conversations', partition: 3, offset: 17 }

mask('a masked chat keeps its ids, times and states, and loses names and texts', () => {
  const accepted = anEvent('ChatAccepted', 'e1', at('10:00:00'))
  const [recorded] = inLog(accepted)
  const chat = recorded && evolveChat(undefined, recorded)
  assert.equal(chat && documentAnswer(ChatDocument)(chat, 'masked'), {
    _id: 'acme/2037',
    accountId: 'acme',
    chatId: '2037',
    widgetId: 'w1',
    state: 'open',
    visitor: { number: '2746', chatsCount: 3 },
    agents: [{ id: 'a1' }],
    messages: [],
    firstEventAt: at('10:00:00'),
    lastEventAt: at('10:00:00'),
    acceptedAt: at('10:00:00'),
  })
})

mask('a message of the story has its place in the log, and its text if the viewer may see it', () => {
  const { data } = dated(anEvent('ClientMessageReceived', 'e1', at('10:00:00')))
  const told = {
    accountId: 'acme',
    chatId: '2037',
    clientId: '1233',
  }
  const base = { id: 'acme/bot/e1', type: 'ClientMessageReceived', time: at('10:00:00'), ...place }
  assert.equal(storyEvent(entry('ClientMessageReceived', data), 'clear'), {
    ...base,
    data: { ...told, message: { type: 'TEXT', text: 'Hi', timestamp: at('10:00:00') } },
    extra: '{"mood":"good"}',
  })
  assert.equal(storyEvent(entry('ClientMessageReceived', data), 'masked'), {
    ...base,
    data: { ...told, message: { type: 'TEXT', timestamp: at('10:00:00') } },
  })
})

mask('an event of an unknown type is not shown, and a large event is shown as large', () => {
  assert.equal(storyEvent(entry('LaterEvent', { note: canary }), 'masked').data, {})
  const { data, omitted } = storyEvent(entry('ChatFinished', undefined), 'clear')
  assert.equal({ data, omitted }, { data: {}, omitted: true })
})

mask('an erased event is shown as erased, and not as large', () => {
  const { data, omitted, erased } = storyEvent({ ...entry('ChatFinished', undefined), erased: true }, 'clear')
  assert.equal({ data, omitted, erased }, { data: {}, omitted: undefined, erased: true })
})

mask.run()
