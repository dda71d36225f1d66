import * as E from 'fp-ts/lib/Either.js'
import type { DurableIn, Failure } from '../domain/log/record.ts'

export const transient = (reason: string): E.Either<Failure, never> => E.left({ kind: 'transient', reason })

/** Where the record is durable, or why it is not. */
export type Outcome = E.Either<Failure, DurableIn>

/**
 * Where the records of one topic go.
 * - `direct`: to Kafka.
 * - `failed-over`: to the journal. The journal is drained to Kafka as soon as Kafka accepts records.
 * - `failing-back`: the journal is nearly empty. New records are held until Kafka has the journal's records, so that
 *   they cannot overtake them. Without this mode, the journal would never become empty under a steady load.
 * - `stopped`: nowhere.
 */
export type FailoverState = {
  readonly mode: 'direct' | 'failed-over' | 'failing-back' | 'stopped'
  /** How often the topic has failed over. A record that was sent before the last time has gone to the journal too. */
  readonly failovers: number
  /** How many records the journal has received and not yet written or refused. */
  readonly journaling: number
  /** How many records that arrived since then are sent or held. When Kafka fails, they go to the journal in order. */
  readonly outstanding: number
  /** The journal refused the last record that it received. */
  readonly refused: boolean
}

/** `failovers` of an event is the number of failovers when its record arrived. */
export type FailoverEvent =
  | { readonly type: 'RecordArrived' }
  | { readonly type: 'KafkaAnswered'; readonly failovers: number; readonly outcome: E.Either<Failure, void> }
  | { readonly type: 'DeadlinePassed'; readonly failovers: number }
  | { readonly type: 'JournalAnswered'; readonly outcome: E.Either<Failure, void> }
  | { readonly type: 'NearlyDrained' }
  | { readonly type: 'Drained' }
  | { readonly type: 'DrainFailed' }
  | { readonly type: 'Stopping' }

/** What the caller must do. `send`, `hold`, `journal` and `answer` are for the record of the event. */
export type Effect =
  | { readonly do: 'send' | 'hold' | 'journal' }
  | { readonly do: 'answer'; readonly outcome: Outcome }
  | { readonly do: 'send outstanding' | 'journal outstanding' | 'drain' }

type Decision = readonly [FailoverState, ReadonlyArray<Effect>]

/** The state at the start. The records that an earlier process left in the journal go first. */
export const initialState = (recordsInJournal: number): FailoverState => ({
  mode: recordsInJournal > 0 ? 'failed-over' : 'direct',
  failovers: 0,
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
  { ...state, mode, failovers: state.failovers + 1, journaling: state.journaling + state.outstanding, outstanding: 0 },
  [
    { do: 'journal outstanding' },
    ...(state.mode === 'direct' && mode === 'failed-over' ? [{ do: 'drain' } as const] : []),
  ],
]

const answered = (state: FailoverState, failovers: number, outcome: E.Either<Failure, void>): Decision => {
  const isCurrent = failovers === state.failovers
  const after = isCurrent ? { ...state, outstanding: state.outstanding - 1 } : state
  if (E.isRight(outcome)) return [after, [{ do: 'answer', outcome: E.right('kafka') }]]
  // A record that was sent before the last failover has gone to the journal: the drain will meet the same refusal.
  if (!isCurrent) return [state, []]
  return outcome.left.kind === 'transient' ? leave(state, 'failed-over') : [after, [{ do: 'answer', outcome }]]
}

/** The complete policy. `topicFallback` explains why it keeps the order. */
export const decide = (state: FailoverState, event: FailoverEvent): Decision => {
  switch (event.type) {
    case 'RecordArrived':
      return arrived(state)
    case 'KafkaAnswered':
      return answered(state, event.failovers, event.outcome)
    case 'DeadlinePassed':
      return event.failovers === state.failovers ? leave(state, 'failed-over') : [state, []]
    case 'JournalAnswered': {
      const outcome = E.map((): DurableIn => 'journal')(event.outcome)
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
