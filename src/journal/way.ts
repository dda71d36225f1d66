import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/ports.ts'

export const transient = (reason: string): E.Either<Failure, never> => E.left({ kind: 'transient', reason })

/** Where a record has become durable. */
export type Place = 'log' | 'journal'
export type Outcome = E.Either<Failure, Place>

/**
 * Which way records go.
 * - `direct`: to the broker.
 * - `away`: to the journal, which is drained to the broker as soon as that takes records.
 * - `returning`: the journal is nearly empty. Records are held for the moment that the rest takes, so that they cannot
 *   overtake it; without this, under a steady load, the journal would never be empty.
 * - `stopped`: nowhere.
 */
export type Way = {
  readonly mode: 'direct' | 'away' | 'returning' | 'stopped'
  /** How often the broker was found away. A record that was sent in an earlier turn has gone to the journal since. */
  readonly turn: number
  /** Records in the hands of the journal that are not durable there yet. */
  readonly keeping: number
  /** Records of this turn that are sent or held: they go to the journal, in order, when the broker is found away. */
  readonly outstanding: number
  /** The journal did not take the last record that it was given. */
  readonly refused: boolean
}

export type Happening =
  | { readonly type: 'Arrived' }
  | { readonly type: 'BrokerAnswered'; readonly turn: number; readonly outcome: E.Either<Failure, void> }
  | { readonly type: 'Overdue'; readonly turn: number }
  | { readonly type: 'JournalAnswered'; readonly outcome: E.Either<Failure, void> }
  | { readonly type: 'NearlyDrained' }
  | { readonly type: 'Drained' }
  | { readonly type: 'DrainFailed' }
  | { readonly type: 'Stopping' }

/** What is to be done; without a word on which, it is for the record that something happened to. */
export type Order =
  | { readonly to: 'send' | 'hold' | 'keep' }
  | { readonly to: 'answer'; readonly outcome: Outcome }
  | { readonly to: 'send outstanding' | 'keep outstanding' | 'drain' }

type Decision = readonly [Way, ReadonlyArray<Order>]

/** At the start: what an earlier process has left in the journal goes first. */
export const firstWay = (recordsInJournal: number): Way => ({
  ...{ mode: recordsInJournal > 0 ? 'away' : 'direct', turn: 0, keeping: 0, outstanding: 0, refused: false },
})

const arrived = (way: Way): Decision => {
  switch (way.mode) {
    case 'direct':
      return [{ ...way, outstanding: way.outstanding + 1 }, [{ to: 'send' }]]
    case 'returning':
      return [{ ...way, outstanding: way.outstanding + 1 }, [{ to: 'hold' }]]
    case 'away':
      return [{ ...way, keeping: way.keeping + 1 }, [{ to: 'keep' }]]
    case 'stopped':
      return [way, [{ to: 'answer', outcome: transient('stopping') }]]
  }
}

const leave = (way: Way, mode: 'away' | 'stopped'): Decision => [
  { ...way, mode, turn: way.turn + 1, keeping: way.keeping + way.outstanding, outstanding: 0 },
  [{ to: 'keep outstanding' }, ...(way.mode === 'direct' && mode === 'away' ? [{ to: 'drain' } as const] : [])],
]

const answered = (way: Way, turn: number, outcome: E.Either<Failure, void>): Decision => {
  const present = turn === way.turn
  const settled = present ? { ...way, outstanding: way.outstanding - 1 } : way
  if (E.isRight(outcome)) return [settled, [{ to: 'answer', outcome: E.right('log') }]]
  // In an earlier turn it has gone to the journal: the drain will meet the same refusal.
  if (!present) return [way, []]
  return outcome.left.kind !== 'transient' ? [settled, [{ to: 'answer', outcome }]] : leave(way, 'away')
}

/** The whole policy; see `journaled` for why it keeps the order. */
export const decide = (way: Way, happening: Happening): Decision => {
  switch (happening.type) {
    case 'Arrived':
      return arrived(way)
    case 'BrokerAnswered':
      return answered(way, happening.turn, happening.outcome)
    case 'Overdue':
      return happening.turn === way.turn ? leave(way, 'away') : [way, []]
    case 'JournalAnswered': {
      const outcome = E.map((): Place => 'journal')(happening.outcome)
      return [{ ...way, keeping: way.keeping - 1, refused: E.isLeft(outcome) }, [{ to: 'answer', outcome }]]
    }
    case 'NearlyDrained':
      return [way.mode === 'away' ? { ...way, mode: 'returning' } : way, []]
    case 'Drained': {
      const over = way.keeping === 0 && (way.mode === 'away' || way.mode === 'returning')
      return over ? [{ ...way, mode: 'direct' }, [{ to: 'send outstanding' }]] : [way, []]
    }
    case 'DrainFailed':
      return way.mode === 'returning' ? leave(way, 'away') : [way, []]
    case 'Stopping':
      return leave(way, 'stopped')
  }
}
