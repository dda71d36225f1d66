import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startModule } from '../../src/operations/what-if/in-process/bot-process.ts'
import { divergences, type Verdict } from '../../src/operations/what-if/judge.ts'
import { runWhatIf } from '../../src/operations/what-if/run.ts'
import { dayOf } from '../operations/what-if/day.ts'
import { rules } from '../operations/what-if/given-chat.ts'

const day = suite('a day of 2,000 conversations')
const [chats, seed] = [2_000, 7]

const run = async (name: string, replyWithin: number) => {
  const started = await startModule({
    path: fileURLToPath(new URL(`../operations/what-if/bots/${name}`, import.meta.url)),
    replyWithin,
    network: false,
  })
  if (E.isLeft(started)) throw new Error(started.left)
  async function* logged() {
    for (const each of dayOf(chats, seed)) yield each.logged
  }
  const first = new Map<string, readonly [turn: number, verdict: Verdict]>()
  try {
    const found = await runWhatIf(
      {
        hash: (words) => words,
        withWords: false,
        source: { chats: logged(), offsets: new Map(), progress: () => ({ done: 0, total: 0 }), unreadable: () => 0 },
        candidate: started.right,
        baseline: undefined,
        rules,
        write: (chatId, compared) => {
          const diverging = compared.find(({ verdict }) => divergences.some((each) => each === verdict))
          if (diverging !== undefined) first.set(chatId, [diverging.turn.number, diverging.verdict])
        },
        onChat: () => {},
        signal: new AbortController().signal,
      },
      {
        from: Date.parse('2026-01-31T00:00:00Z'),
        to: Date.parse('2026-02-01T00:00:00Z'),
        isExact: true,
        repeat: 1,
        chats,
        accepted: new Set(),
        failOn: new Set(divergences),
      },
    )
    return { found, first }
  } finally {
    await started.right.stop()
  }
}

/** In how many chats a rule applies to a turn that can be compared, counted without what-if. */
const chatsWith = (words: ReadonlyArray<string>): number =>
  [...dayOf(chats, seed)].filter((each) => each.words.some((said) => words.includes(said))).length

day('the same bot diverges nowhere, also in its words', async () => {
  const { found, first } = await run('day.ts', 5_000)
  assert.equal([...first], [])
  assert.is(found.chats.compared, chats)
  assert.ok(found.turns.same > 5_000 && found.turns['not-comparable'] > 100, JSON.stringify(found.turns))
  assert.is(found.turns.words + found.turns['not-compared'], 0)
})

day('a changed rule is found in every chat where it applies, and nowhere else', async () => {
  const { first } = await run('day-changed.ts', 5_000)
  assert.is(first.size, chatsWith(['hours']))
  assert.equal([...new Set([...first.values()].map(([, verdict]) => verdict))], ['act'])
})

day('a bot that throws, sleeps and shows four buttons fails in all of these chats', async () => {
  const { found, first } = await run('day-broken.ts', 100)
  assert.is(first.size, chatsWith(['hours', 'agent']))
  const kinds = new Set([...first.values()].map(([, verdict]) => verdict))
  assert.equal([...kinds].sort(), ['refused', 'slow', 'threw'])
  assert.is(found.turns.act + found.turns.silent + found.turns.answered, 0)
})

day.run()
