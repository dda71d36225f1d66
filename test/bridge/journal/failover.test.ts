import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Failure } from '../../../src/bridge/domain/log/record.ts'
import {
  decide,
  type Effect,
  type FailoverEvent,
  type FailoverState,
  initialState,
} from '../../../src/bridge/journal/failover.ts'

const transient: Failure = { kind: 'transient', reason: 'full' }
const permanent: Failure = { kind: 'permanent', reason: 'too large' }
const direct: FailoverState = { mode: 'direct', failovers: 3, journaling: 0, outstanding: 2, refused: false }
const failedOver: FailoverState = { mode: 'failed-over', failovers: 4, journaling: 2, outstanding: 0, refused: false }
const failingBack: FailoverState = { ...failedOver, mode: 'failing-back', outstanding: 1 }
const stopped: FailoverState = { ...failedOver, mode: 'stopped', journaling: 0 }

const failover = suite('journal: failover')

failover('starts with Kafka, or with what an earlier process left in the journal', () => {
  const start: FailoverState = { mode: 'direct', failovers: 0, journaling: 0, outstanding: 0, refused: false }
  assert.equal(initialState(0), start)
  assert.equal(initialState(1), { ...start, mode: 'failed-over' })
})

const cases: ReadonlyArray<readonly [string, FailoverState, FailoverEvent, FailoverState, ReadonlyArray<Effect>]> = [
  ['a record goes to Kafka', direct, { type: 'RecordArrived' }, { ...direct, outstanding: 3 }, [{ do: 'send' }]],
  [
    'while Kafka is unavailable it goes to the journal',
    failedOver,
    { type: 'RecordArrived' },
    { ...failedOver, journaling: 3 },
    [{ do: 'journal' }],
  ],
  [
    'it is held while the journal is nearly empty',
    failingBack,
    { type: 'RecordArrived' },
    { ...failingBack, outstanding: 2 },
    [{ do: 'hold' }],
  ],
  [
    'it is refused after the stop',
    stopped,
    { type: 'RecordArrived' },
    stopped,
    [{ do: 'answer', outcome: E.left({ kind: 'transient', reason: 'stopping' }) }],
  ],
  [
    'an acknowledgement is passed on',
    direct,
    { type: 'KafkaAnswered', failovers: 3, outcome: E.right(undefined) },
    { ...direct, outstanding: 1 },
    [{ do: 'answer', outcome: E.right('kafka') }],
  ],
  [
    'a permanent refusal is passed on, and nothing goes to the journal',
    direct,
    { type: 'KafkaAnswered', failovers: 3, outcome: E.left(permanent) },
    { ...direct, outstanding: 1 },
    [{ do: 'answer', outcome: E.left(permanent) }],
  ],
  [
    'a temporary refusal sends everything outstanding to the journal',
    direct,
    { type: 'KafkaAnswered', failovers: 3, outcome: E.left(transient) },
    failedOver,
    [{ do: 'journal outstanding' }, { do: 'drain' }],
  ],
  [
    'and so does a record that is not acknowledged within the budget',
    direct,
    { type: 'DeadlinePassed', failovers: 3 },
    failedOver,
    [{ do: 'journal outstanding' }, { do: 'drain' }],
  ],
  [
    'a deadline of a record that went to the journal in an earlier failover changes nothing',
    direct,
    { type: 'DeadlinePassed', failovers: 2 },
    direct,
    [],
  ],
  [
    'an acknowledgement that arrives when the record is on its way to the journal counts too',
    failedOver,
    { type: 'KafkaAnswered', failovers: 3, outcome: E.right(undefined) },
    failedOver,
    [{ do: 'answer', outcome: E.right('kafka') }],
  ],
  [
    'a refusal that arrives then is left to the drain',
    failedOver,
    { type: 'KafkaAnswered', failovers: 3, outcome: E.left(permanent) },
    failedOver,
    [],
  ],
  [
    'a record that the journal accepts is acknowledged',
    failedOver,
    { type: 'JournalAnswered', outcome: E.right(undefined) },
    { ...failedOver, journaling: 1 },
    [{ do: 'answer', outcome: E.right('journal') }],
  ],
  [
    'a record that the journal refuses is refused',
    failedOver,
    { type: 'JournalAnswered', outcome: E.left(transient) },
    { ...failedOver, journaling: 1, refused: true },
    [{ do: 'answer', outcome: E.left(transient) }],
  ],
  [
    'nothing is sent directly while records are on their way to the journal',
    failedOver,
    { type: 'Drained' },
    failedOver,
    [],
  ],
  [
    'new records are held when the journal is nearly empty',
    failedOver,
    { type: 'NearlyDrained' },
    { ...failedOver, mode: 'failing-back' },
    [],
  ],
  [
    'direct sending starts again as soon as the journal is empty',
    { ...failedOver, journaling: 0 },
    { type: 'Drained' },
    { ...failedOver, journaling: 0, mode: 'direct' },
    [{ do: 'send outstanding' }],
  ],
  ['it does not start again after the stop', stopped, { type: 'Drained' }, stopped, []],
  [
    'direct sending starts again, and held records go first',
    { ...failingBack, journaling: 0 },
    { type: 'Drained' },
    { ...failingBack, journaling: 0, mode: 'direct' },
    [{ do: 'send outstanding' }],
  ],
  [
    'when Kafka fails again, held records go to the journal',
    failingBack,
    { type: 'DrainFailed' },
    { ...failingBack, mode: 'failed-over', failovers: 5, journaling: 3, outstanding: 0 },
    [{ do: 'journal outstanding' }],
  ],
  ['a drain that fails while nothing is held changes nothing', failedOver, { type: 'DrainFailed' }, failedOver, []],
  [
    'at a stop everything outstanding goes to the journal',
    direct,
    { type: 'Stopping' },
    { ...failedOver, mode: 'stopped' },
    [{ do: 'journal outstanding' }],
  ],
]

for (const [name, given, event, then, effects] of cases)
  failover(name, () => {
    assert.equal(decide(given, event), [then, effects])
  })

failover.run()
