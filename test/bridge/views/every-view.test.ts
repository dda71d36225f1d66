import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { chatTopics } from '../../../contracts/topics.ts'
import { changesOfEvent, isAccountWide } from '../../../src/bridge/views/changes.ts'
import type { Change } from '../../../src/bridge/views/document.ts'
import { foldedOfName, foldedViews } from '../../../src/bridge/views/index.ts'
import { anEvent, at, inLog } from '../../support/given-events.ts'
import { aLog, type Entry } from '../../support/logs.ts'
import { changesOfEntries } from '../../support/memory-views.ts'

const every = suite('every view')

/** What the entries of logs change in a view, each with its entry. */
const foldsOf = (log: ReadonlyArray<Entry>) =>
  log.flatMap((entry) =>
    changesOfEntries([entry]).flatMap((change) => (change.where === undefined ? [{ entry, change }] : [])),
  )

const ownersOf = ({ content }: Entry): ReadonlyArray<string> => {
  const { accountId, ...rest } = 'data' in content ? content.data : content
  const ids = { chatId: undefined, clientId: undefined, ...rest }
  return ids.chatId === undefined
    ? [`${accountId}/${ids.clientId}`, `${accountId}/client:${ids.clientId}`]
    : [`${accountId}/${ids.chatId}`]
}

every('has documents of one chat or client each, whose records come in order, or says that it is account-wide', () => {
  fc.assert(
    fc.property(aLog, (log) => {
      const foreign = foldsOf(log).flatMap(({ entry, change }) =>
        isAccountWide(change) || ownersOf(entry).some((owner) => `${change.id}/`.startsWith(`${owner}/`))
          ? []
          : [`${entry.content.type} changes ${change.view} ${change.id}`],
      )
      assert.is(foreign.length, 0, foreign.join('\n'))
    }),
    { numRuns: 200, includeErrorInReport: true },
  )
})

const isUnder = ({ view, id }: Change, documentId: string) =>
  foldedOfName(view)?.isChain ? documentId.startsWith(`${id}/`) : documentId === id

every('makes a document with the id at which its fold looks for it', () => {
  fc.assert(
    fc.property(aLog, (log) => {
      const elsewhere = foldsOf(log).flatMap(({ change }) =>
        change
          .evolve(undefined)
          .flatMap(({ _id }) => (isUnder(change, _id) ? [] : [`${change.view}: ${_id} instead of ${change.id}`])),
      )
      assert.is(elsewhere.length, 0, elsewhere.join('\n'))
    }),
    { numRuns: 100, includeErrorInReport: true },
  )
})

every('that an erasure empties says how the documents of a person are found', () => {
  const markers = [
    anEvent('ClientErased', 'x', at('10:00:00')),
    ...chatTopics.map(({ name }) => anEvent('ChatErased', 'x', at('10:00:00'), { topic: name })),
  ]
  const emptied = new Set(
    inLog(...markers)
      .flatMap(changesOfEvent)
      .flatMap(({ view, where }) => (where === undefined ? [] : [view])),
  )
  assert.equal(
    foldedViews.flatMap(({ name, person }) => (person === undefined ? [] : [name])).sort(),
    [...emptied].sort(),
  )
})

every.run()
