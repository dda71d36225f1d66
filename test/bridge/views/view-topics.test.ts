import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { topicOf } from '../../../contracts/topics.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { changesStats, foldedOf, topicsOfViews, viewNames } from '../../../src/bridge/views/index.ts'
import { anEvent, at, inLog } from '../../support/given-events.ts'

const sources = suite('the source topics of a view')

for (const { name } of DomainEvent.types)
  sources(`the topic of ${name} is read for every view that it changes`, () => {
    const event = anEvent(name as DomainEvent['type'], 'e1', at('10:00:00'))
    for (const { view } of inLog<DomainEvent>(event).flatMap(changesOfEvent))
      assert.ok(topicsOfViews([view]).includes(topicOf(event).name), view)
  })

sources('each topic is read once for all views that need it', () => {
  assert.equal(topicsOfViews(['conversations', 'deliveries', 'daily_stats']), ['bot-conversations', 'bot-replies'])
})

sources('only statistics are not folded; they follow the views that they count', () => {
  assert.equal(
    viewNames.filter((view) => !foldedOf(viewNames).includes(view)),
    ['daily_stats', 'daily_stats_by'],
  )
  assert.equal(
    viewNames.filter((view) => changesStats([view])),
    ['calls', 'offline_messages', 'deliveries', 'sessions', 'daily_stats', 'daily_stats_by'],
  )
})

sources.run()
