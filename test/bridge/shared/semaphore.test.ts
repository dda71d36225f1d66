import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fairSemaphore, type Permit, type Shares, semaphore } from '../../../src/bridge/shared/semaphore.ts'

const taking = suite('semaphore')

const never = new AbortController().signal
const later = () => new Promise((resolve) => setImmediate(resolve))

taking(
  'a limited number of callers have a turn, and the others get theirs in the order of their requests',
  async () => {
    const take = semaphore(2)
    const got: number[] = []
    const ask = async (who: number) => {
      const turn = await take(never)
      got.push(who)
      return turn
    }
    const asked = [1, 2, 3, 4].map(ask)
    await later()
    const before = [...got]
    const turn = await asked[1]
    turn?.[Symbol.dispose]()
    turn?.[Symbol.dispose]()
    await later()

    assert.equal(
      [before, got],
      [
        [1, 2],
        [1, 2, 3],
      ],
    )
  },
)

taking('a caller that gives up waiting does not block the others', async () => {
  const take = semaphore(1)
  const first = await take(never)
  const closed = new AbortController()
  const second = take(closed.signal)
  const third = take(never)

  closed.abort()
  using _ended = await second
  first[Symbol.dispose]()
  using last = await third

  assert.type(last, 'object')
})

taking('permits with weights share the limit, and one that is heavier than the limit is granted alone', async () => {
  const take = semaphore(10)
  const got: number[] = []
  const ask = async (weight: number) => {
    const permit = await take(undefined, weight)
    got.push(weight)
    return permit
  }
  const asked = [6, 3, 40, 2].map(ask)
  await later()
  const seen = [[...got]]
  for (const i of [0, 1, 2]) {
    const permit = await asked[i]
    permit?.[Symbol.dispose]()
    await later()
    seen.push([...got])
  }

  assert.equal(seen, [
    [6, 3],
    [6, 3],
    [6, 3, 40],
    [6, 3, 40, 2],
  ])
})

taking.run()

const sharing = suite('semaphore of several owners')

type Step =
  | { readonly kind: 'ask'; readonly owner: number }
  | { readonly kind: 'give back' | 'give up'; readonly which: number }

/** Somebody who has asked. `ahead`: how many of the same owner waited before. `passedBy`: grants to each other owner. */
type Caller = {
  readonly owner: string
  readonly ahead: number
  readonly leaving: AbortController
  readonly passedBy: Map<string, number>
  permit?: Permit
}

const ownersAtMost = 4
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('ask' as const), owner: fc.nat(ownersAtMost - 1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('give back' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('give up' as const), which: fc.nat() }) },
)
const shares: fc.Arbitrary<Shares> = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
  .map(([a, b]) => ({ inAll: Math.max(a, b), ofOne: Math.min(a, b) }))

/** Runs the steps, and checks after each grant that nobody has waited for more than the turns of others. */
const play = async ({ inAll, ofOne }: Shares, steps: ReadonlyArray<Step>) => {
  const acquire = fairSemaphore({ inAll, ofOne })
  const waiting: Caller[] = []
  const holding: Caller[] = []
  const heldBy = (owner: string) => holding.filter((each) => each.owner === owner).length

  const granted = (caller: Caller, permit: Permit) => {
    if (caller.leaving.signal.aborted) return permit[Symbol.dispose]()
    caller.permit = permit
    const earlier = waiting.find(({ owner }) => owner === caller.owner)
    assert.is(earlier, caller, 'callers of one owner have their permits in the order of their calls')
    waiting.splice(waiting.indexOf(caller), 1)
    for (const other of waiting) {
      if (other.owner === caller.owner || heldBy(other.owner) >= ofOne) continue
      const passed = (other.passedBy.get(caller.owner) ?? 0) + 1
      other.passedBy.set(caller.owner, passed)
      assert.ok(passed <= other.ahead + 1, `${caller.owner} has ${passed} turns before ${other.owner}`)
    }
    holding.push(caller)
  }
  const ask = (owner: string) => {
    const ahead = waiting.filter((each) => each.owner === owner).length
    const caller: Caller = { owner, ahead, leaving: new AbortController(), passedBy: new Map() }
    waiting.push(caller)
    return acquire(owner, caller.leaving.signal).then((permit) => granted(caller, permit))
  }
  const giveBack = (which: number) => holding.splice(which % holding.length, 1)[0]?.permit?.[Symbol.dispose]()
  const failures: unknown[] = []
  for (const each of steps) {
    if (each.kind === 'ask') ask(`owner ${each.owner}`).catch((error: unknown) => failures.push(error))
    if (each.kind === 'give back' && holding.length > 0) giveBack(each.which)
    if (each.kind === 'give up' && waiting.length > 0)
      waiting.splice(each.which % waiting.length, 1)[0]?.leaving.abort()
    await later()
    assert.equal(failures, [])
    assert.ok(holding.length <= inAll && holding.every(({ owner }) => heldBy(owner) <= ofOne))
    const mayHave = waiting.filter(({ owner }) => heldBy(owner) < ofOne)
    assert.ok(mayHave.length === 0 || holding.length === inAll, 'nobody waits for nothing')
  }
  while (holding.length > 0) {
    giveBack(0)
    await later()
  }
  assert.equal([waiting, failures], [[], []])
}

sharing('each other owner has one permit at most before the first one of an owner, however many wait', () =>
  fc.assert(fc.asyncProperty(shares, fc.array(step, { maxLength: 60 }), play)),
)

sharing('one owner with many callers leaves room for another, who waits for none of them', async () => {
  const acquire = fairSemaphore({ inAll: 8, ofOne: 6 })
  const got: string[] = []
  const ask = async (owner: string) => {
    const permit = await acquire(owner)
    got.push(owner)
    return permit
  }
  for (let i = 0; i < 450; i += 1) void ask('acme')
  void ask('other')
  await later()

  assert.equal(got, ['acme', 'acme', 'acme', 'acme', 'acme', 'acme', 'other'])
})

sharing.run()
