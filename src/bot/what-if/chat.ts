import * as E from 'fp-ts/lib/Either.js'
import type { Acts } from './acts.ts'
import { type Answer, isDivergence, isUnstable, type Verdict, verdictOf } from './judge.ts'
import type { Turn } from './turns.ts'

/** A bot in one chat. It keeps what it remembers of the chat until `end`. */
export type Conversing = {
  readonly ask: (turn: Turn) => Promise<Answer>
  readonly end: () => void
}

/** A turn and its three answers. `candidate` is what the bot did the first time, if it is asked several times. */
export type Compared = {
  readonly turn: Turn
  readonly verdict: Verdict
  readonly observed: Acts
  readonly baseline?: Answer
  readonly candidate?: Answer
  /** Why a turn has this verdict, where the answers do not say it. Without a word of the chat. */
  readonly reason?: string
}

/** In how many turns the baseline differs from the log, of those that can be compared. */
export type Noise = { readonly differs: number; readonly of: number }

type Bots = {
  readonly baseline: Conversing | undefined
  /** The same bot, as often as it is asked. */
  readonly candidates: ReadonlyArray<Conversing>
  readonly isExact: boolean
  /** False for a turn that only leads to those that are asked for. */
  readonly counts: (turn: Turn) => boolean
  /** Whether the chat's person was erased meanwhile: then no bot gets more of it. */
  readonly isErased: () => Promise<boolean>
}

const notCompared = 'the client answered the old reply'

/**
 * Asks the bots turn by turn, until the candidate diverges: from there on the client answers a reply that the candidate
 * has not given. Left: the chat was erased meanwhile.
 */
export const compareChat = async (
  turns: ReadonlyArray<Turn>,
  { baseline, candidates, isExact, counts, isErased }: Bots,
): Promise<E.Either<'erased', { readonly compared: ReadonlyArray<Compared>; readonly noise: Noise }>> => {
  using _bots = {
    [Symbol.dispose]: () => {
      for (const bot of [baseline, ...candidates]) bot?.end()
    },
  }
  const compared: Compared[] = []
  let noise: Noise = { differs: 0, of: 0 }
  let hasDiverged = false
  for (const turn of turns) {
    const { observed } = turn
    if (hasDiverged) {
      compared.push({ turn, verdict: 'not-compared', observed, reason: notCompared })
      continue
    }
    if (await isErased()) return E.left('erased')
    const [old, ...answers] = await Promise.all([
      baseline?.ask(turn),
      ...candidates.map((candidate) => candidate.ask(turn)),
    ])
    const candidate = answers[0] ?? { replies: [], ms: 0 }
    if (!counts(turn)) continue
    const result = { turn, observed, ...(old && { baseline: old }), candidate }
    if (turn.notComparable !== undefined) {
      compared.push({ ...result, verdict: 'not-comparable', reason: turn.notComparable })
      continue
    }
    if (old !== undefined && noise.differs === 0) {
      const differs = isDivergence(verdictOf({ replies: observed }, old), isExact)
      noise = { differs: differs ? 1 : 0, of: noise.of + 1 }
    }
    if (
      isUnstable(
        answers.flatMap((answer) => answer ?? []),
        isExact,
      )
    ) {
      compared.push({ ...result, verdict: 'not-comparable', reason: 'unstable: the bot disagrees with itself' })
      continue
    }
    const verdict = verdictOf(old ?? { replies: observed }, candidate)
    hasDiverged = isDivergence(verdict, isExact)
    compared.push({ ...result, verdict, ...(candidate.failing && { reason: candidate.failing.reason }) })
  }
  return E.right({ compared, noise })
}
