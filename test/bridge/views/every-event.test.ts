import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { foldedViews } from '../../../src/bridge/views/index.ts'
import { eventTypes } from '../../../src/bridge/views/view.ts'

const every = suite('every event')

/** Views that show every event as it is, and so say nothing about what an event means. */
const ofAllEvents = ['timeline', 'drift'] as const
/** Markers of erasures empty documents; they make none. */
const ignored = ['ClientErased', 'ChatErased'] as const satisfies ReadonlyArray<DomainEvent['type']>

type View = Exclude<(typeof foldedViews)[number], { readonly name: (typeof ofAllEvents)[number] }>
type Left = Exclude<DomainEvent['type'], View['types'][number] | (typeof ignored)[number]>
/** Does not compile if an event is neither folded nor ignored: optional folds know no exhaustive switch. */
const left: [Left] extends [never] ? ReadonlyArray<never> : Left = []

every('is folded by a view that knows what it means, or is listed as ignored', () => {
  const views = foldedViews.filter(({ name }) => !ofAllEvents.some((each) => each === name))
  const known = new Set<string>([...views.flatMap(({ types }) => [...types]), ...ignored])
  assert.equal(
    eventTypes.filter((type) => !known.has(type)),
    left,
  )
})

every.run()
