import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  choiceOf,
  chosenAtFirst,
  isFixed,
  isUnknown,
  type Part,
  sizeOf,
  withChoice,
} from '../../src/console/pages/privacy/person-choice.ts'

const choice = suite('who is chosen on the page Privacy')

const visitor = { kind: 'visitor', value: '7' }
const asked: Part = { ids: ['client:20'], chats: ['1', '2'], clients: ['20'], emails: [], via: [], isSure: true }
const joined: Part = {
  ids: ['client:30'],
  chats: ['3'],
  clients: ['30'],
  emails: [],
  via: [visitor],
  isSure: true,
  through: 0,
}
const further: Part = {
  ids: ['chat:4'],
  chats: ['4'],
  clients: [],
  emails: [],
  via: [visitor],
  isSure: true,
  through: 1,
}
const likely: Part = {
  ids: ['client:40', 'chat:2'],
  chats: ['2', '5'],
  clients: ['40'],
  emails: [],
  via: [{ kind: 'email', value: 'a@example.com' }],
  isSure: false,
}
const parts = [asked, joined, further, likely]

choice('is at first who is sure; only the one asked for cannot be left out', () => {
  assert.equal([...chosenAtFirst(parts)], [0, 1, 2])
  assert.equal(parts.map(isFixed), [true, false, false, false])
  assert.equal(choiceOf(parts, chosenAtFirst(parts)), {})
  assert.equal(sizeOf(parts, chosenAtFirst(parts)), { conversations: 4, clients: 2 })
})

choice('nobody is known if nothing is stored of the one who was asked for, and nobody else was found', () => {
  const stored = (count: number) => [{ what: 'chats', count }]
  assert.ok(isUnknown({ parts: [], stored: [] }))
  assert.ok(isUnknown({ parts: [asked], stored: stored(0) }))
  assert.not(isUnknown({ parts: [asked], stored: stored(1) }))
  assert.not(isUnknown({ parts: [asked, likely], stored: stored(0) }))
})

choice('does not have at first who is likely another person at the same computer, and leaves them out', () => {
  const doubted = [asked, { ...joined, isLikelyOther: true as const }, { ...further, isLikelyOther: true as const }]
  assert.equal([...chosenAtFirst(doubted)], [0])
  assert.equal(choiceOf(doubted, chosenAtFirst(doubted)), { except: ['client:30', 'chat:4'] })
})

choice('does not have at first who was erased before, and who was found through them stays', () => {
  const erased = [asked, { ...joined, erasedAt: '2026-01-02T00:00:00.000Z' as Part['erasedAt'] & string }, further]
  assert.equal([...chosenAtFirst(erased)], [0, 2])
  assert.equal(choiceOf(erased, chosenAtFirst(erased)), { also: ['chat:4'], except: ['client:30'] })
})

choice('counts a conversation once that two parts have', () =>
  assert.equal(sizeOf(parts, withChoice(parts, chosenAtFirst(parts), 3, true)), { conversations: 5, clients: 3 }),
)

const changes: ReadonlyArray<
  readonly [changes: ReadonlyArray<readonly [place: number, isChosen: boolean]>, left: number[], request: object]
> = [
  [[[3, true]], [0, 1, 2, 3], { also: ['client:40'] }],
  [[[2, false]], [0, 1], { except: ['chat:4'] }],
  [[[1, false]], [0], { except: ['client:30', 'chat:4'] }],
  [
    [
      [1, false],
      [2, true],
    ],
    [0, 2],
    { also: ['chat:4'], except: ['client:30'] },
  ],
  [
    [
      [1, false],
      [1, true],
      [2, true],
    ],
    [0, 1, 2],
    {},
  ],
]
for (const [steps, left, request] of changes)
  choice(`after ${JSON.stringify(steps)} asks for ${JSON.stringify(request)}`, () => {
    let chosen = chosenAtFirst(parts)
    for (const [place, isChosen] of steps) chosen = withChoice(parts, chosen, place, isChosen)
    assert.equal([...chosen].toSorted(), left)
    assert.equal(choiceOf(parts, chosen), request)
  })

choice.run()
