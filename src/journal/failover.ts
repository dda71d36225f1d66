import * as E from 'fp-ts/lib/Either.js'
import type { Failure, Place } from '../domain/ports.ts'

export const transient = (reason: string): E.Either<Failure, never> => E.left({ kind: 'transient', reason })

/** Where a record has become durable. */
export type Destination = Place
export type Outcome = E.Either<Failure, Destination>

/**
 * Where the records of one topic go.
 * - `direct`: to Kafka.
 * - `failed-over`: to the journal, which is drained to Kafka as soon as that takes records.
 * - `failing-back`: the journal is nearly empty. New records are held until Kafka has the rest, so that they cannot
 *   overtake it; without this, under a steady load, the journal would never be empty.
 * - `stopped`: nowhere.
 */
export type FailoverState = {
  readonly mode: 'direct' | 'failed-over' | 'failing-back' | 'stopped'
  /** How often Kafka has failed. A record that was sent in an earlier epoch has gone to the journal since. */
  readonly epoch: number
  /** Records that the journal was given and has not answered yet. */
  readonly journaling: number
  /** Records of this epoch that are sent or held: they go to the journal, in order, when Kafka fails. */
  readonly outstanding: number
  /** The journal did not take the last record that it was given. */
  readonly refused: boolean
}

export type FailoverEvent =
  | { readonly type: 'RecordArrived' }
  | { readonly type: 'KafkaAnswered'; readonly epoch: number; readonly outcome: E.Either<Failure, void> }
  | { readonly type: 'DeadlinePassed'; readonly epoch: number }
  | { readonly type: 'JournalAnswered'; readonly outcome: E.Either<Failure, void> }
  | { readonly type: 'NearlyDrained' }
  | { readonly type: 'Drained' }
  | { readonly type: 'DrainFailed' }
  | { readonly type: 'Stopping' }

/** What is to be done; unless it says which records, it is for the record of the event. */
export type Effect =
  | { readonly do: 'send' | 'hold' | 'journal' }
  | { readonly do: 'answer'; readonly outcome: Outcome }
  | { readonly do: 'send outstanding' | 'journal outstanding' | 'drain' }

type Decision = readonly [FailoverState, ReadonlyArray<Effect>]

/** At the start: what an earlier process has left in the journal goes first. */
export const initialState = (recordsInJournal: number): FailoverState => ({
  mode: recordsInJournal > 0 ? 'failed-over' : 'direct',
  epoch: 0,
  journaling: 0,
  outstanding: 0,
  refused: false,
})

const arrived = (state: FailoverState): Decision => {
  switch (state.mode) {
    case 'direct':
      return [{ ...state, outstanding: state.outstanding + 1 }, [{ do: 'send' }]]
    case 'failing-back':
      return [{ ...state, outstanding: state.outstanding + 1 }, [{ do: 'hold' }]]
    case 'failed-over':
      return [{ ...state, journaling: state.journaling + 1 }, [{ do: 'journal' }]]
    case 'stopped':
      return [state, [{ do: 'answer', outcome: transient('stopping') }]]
  }
}

const leave = (state: FailoverState, mode: 'failed-over' | 'stopped'): Decision => [
  { ...state, mode, epoch: state.epoch + 1, journaling: state.journaling + state.outstanding, outstanding: 0 },
  [
    { do: 'journal outstanding' },
    ...(state.mode === 'direct' && mode === 'failed-over' ? [{ do: 'drain' } as const] : []),
  ],
]

const answered = (state: FailoverState, epoch: number, outcome: E.Either<Failure, void>): Decision => {
  const isCurrent = epoch === state.epoch
  const settled = isCurrent ? { ...state, outstanding: state.outstanding - 1 } : state
  if (E.isRight(outcome)) return [settled, [{ do: 'answer', outcome: E.right('kafka') }]]
  // In an earlier epoch it has gone to the journal: the drain will meet the same refusal.
  if (!isCurrent) return [state, []]
  return outcome.left.kind === 'transient' ? leave(state, 'failed-over') : [settled, [{ do: 'answer', outcome }]]
}

/** The whole policy; see `topicFallback` for why it keeps the order. */
export const decide = (state: FailoverState, event: FailoverEvent): Decision => {
  switch (event.type) {
    case 'RecordArrived':
      return arrived(state)
    case 'KafkaAnswered':
      return answered(state, event.epoch, event.outcome)
    case 'DeadlinePassed':
      return event.epoch === state.epoch ? leave(state, 'failed-over') : [state, []]
    case 'JournalAnswered': {
      const outcome = E.map((): Destination => 'journal')(event.outcome)
      return [{ ...state, journaling: state.journaling - 1, refused: E.isLeft(outcome) }, [{ do: 'answer', outcome }]]
    }
    case 'NearlyDrained':
      return [state.mode === 'failed-over' ? { ...state, mode: 'failing-back' } : state, []]
    case 'Drained': {
      const isOver = state.journaling === 0 && (state.mode === 'failed-over' || state.mode === 'failing-back')
      return isOver ? [{ ...state, mode: 'direct' }, [{ do: 'send outstanding' }]] : [state, []]
    }
    case 'DrainFailed':
      return state.mode === 'failing-back' ? leave(state, 'failed-over') : [state, []]
    case 'Stopping':
      return leave(state, 'stopped')
  }
}
