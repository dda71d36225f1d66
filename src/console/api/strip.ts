import * as E from 'fp-ts/lib/Either.js'
import type { Now } from '../../bridge/domain/clock.ts'
import type { ReadReadiness } from '../../bridge/http/health.ts'
import type { Query } from '../../bridge/mongo/connect.ts'
import { nowIn } from '../../bridge/mongo/console-now.ts'
import { dayMs } from '../../bridge/shared/time.ts'
import type { StripAnswer } from '../answers.ts'
import { type Handlers, ok } from '../handler.ts'
import { healthState, healthWords } from '../health.ts'
import { type LettersDeps, unresolvedOf } from './dead-letters.ts'

export type StripDeps = LettersDeps & {
  readonly readiness: ReadReadiness
  readonly mongoQuery: Query
  readonly now: Now
  /** A monotonic clock, in ms. */
  readonly monotonic: () => number
}

/** As for the page System: with less time the strip would call a server down that the page calls well. */
const withinMs = 3_000
/** Both topics are read to their ends for these counts, so all sessions share them for a while. */
const freshMs = 30_000

type Letters = Pick<StripAnswer, 'letters' | 'quarantined'>

/** What is not well, for the head of every page. */
export const stripHandlers = (deps: StripDeps): Handlers<'GET /api/accounts/:account/strip'> => {
  const { readiness, mongoQuery, now, monotonic } = deps
  const known = new Map<string, { readonly at: number; letters: Letters }>()
  const reading = new Set<string>()
  const refresh = async (accountId: string) => {
    if (reading.has(accountId)) return
    reading.add(accountId)
    const letters = await unresolvedOf(deps, accountId).catch(() => ({ letters: null, quarantined: null }))
    known.set(accountId, { at: monotonic(), letters })
    reading.delete(accountId)
  }
  /** The last known counts. Nobody waits for newer ones: a topic can be long, and Kafka unavailable. */
  const lettersOf = (accountId: string): Letters => {
    const last = known.get(accountId)
    if (last === undefined || monotonic() - last.at >= freshMs) void refresh(accountId)
    return last?.letters ?? {}
  }
  return {
    'GET /api/accounts/:account/strip': async ({ accountId }) => {
      const lately = new Date(Date.parse(now()) - dayMs)
      const [{ checks }, counts] = await Promise.all([
        readiness(withinMs),
        mongoQuery(nowIn)(accountId, { lately, days: [], spans: [], longest: 1 }),
      ])
      const wrong = Object.entries(checks).flatMap(([name, health]) => {
        const state = healthState(name, health, checks)
        if (state === 'works' || state === 'waits' || state === 'unknown') return []
        return [{ name, state, words: healthWords(name, state) }]
      })
      const answer: StripAnswer = {
        wrong,
        waiting: E.isRight(counts) ? counts.right.waiting : null,
        ...lettersOf(accountId),
      }
      return ok(answer)
    },
  }
}
