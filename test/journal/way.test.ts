import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Failure } from '../../src/domain/ports.ts'
import { decide, type Happening, type Order, type Way } from '../../src/journal/way.ts'

const transient: Failure = { kind: 'transient', reason: 'full' }
const permanent: Failure = { kind: 'permanent', reason: 'too large' }
const direct: Way = { mode: 'direct', turn: 3, keeping: 0, outstanding: 2, refused: false }
const away: Way = { mode: 'away', turn: 4, keeping: 2, outstanding: 0, refused: false }
const returning: Way = { ...away, mode: 'returning', outstanding: 1 }

const way = suite('journal: which way')

const cases: ReadonlyArray<readonly [string, Way, Happening, Way, ReadonlyArray<Order>]> = [
  ['a record goes to the broker', direct, { type: 'Arrived' }, { ...direct, outstanding: 3 }, [{ to: 'send' }]],
  [
    'while the broker is away it goes to the journal',
    away,
    { type: 'Arrived' },
    { ...away, keeping: 3 },
    [{ to: 'keep' }],
  ],
  [
    'it is held while the journal is nearly empty',
    returning,
    { type: 'Arrived' },
    { ...returning, outstanding: 2 },
    [{ to: 'hold' }],
  ],
  [
    'an acknowledgement is passed on',
    direct,
    { type: 'BrokerAnswered', turn: 3, outcome: E.right(undefined) },
    { ...direct, outstanding: 1 },
    [{ to: 'answer', outcome: E.right('log') }],
  ],
  [
    'a refusal for ever is passed on, and nothing goes to the journal',
    direct,
    { type: 'BrokerAnswered', turn: 3, outcome: E.left(permanent) },
    { ...direct, outstanding: 1 },
    [{ to: 'answer', outcome: E.left(permanent) }],
  ],
  [
    'a refusal for now sends everything outstanding to the journal',
    direct,
    { type: 'BrokerAnswered', turn: 3, outcome: E.left(transient) },
    away,
    [{ to: 'keep outstanding' }, { to: 'drain' }],
  ],
  [
    'and so does a record that is not acknowledged within the budget',
    direct,
    { type: 'Overdue', turn: 3 },
    away,
    [{ to: 'keep outstanding' }, { to: 'drain' }],
  ],
  [
    'an acknowledgement that comes when the record is on its way to the journal is good too',
    away,
    { type: 'BrokerAnswered', turn: 3, outcome: E.right(undefined) },
    away,
    [{ to: 'answer', outcome: E.right('log') }],
  ],
  [
    'a refusal that comes then is left to the drain',
    away,
    { type: 'BrokerAnswered', turn: 3, outcome: E.left(permanent) },
    away,
    [],
  ],
  [
    'what the journal has is acknowledged',
    away,
    { type: 'JournalAnswered', outcome: E.right(undefined) },
    { ...away, keeping: 1 },
    [{ to: 'answer', outcome: E.right('journal') }],
  ],
  [
    'what the journal refuses is refused',
    away,
    { type: 'JournalAnswered', outcome: E.left(transient) },
    { ...away, keeping: 1, refused: true },
    [{ to: 'answer', outcome: E.left(transient) }],
  ],
  ['the direct way stays shut while records are on their way to the journal', away, { type: 'Drained' }, away, []],
  [
    'it opens, and what was held goes first',
    { ...returning, keeping: 0 },
    { type: 'Drained' },
    { ...returning, keeping: 0, mode: 'direct' },
    [{ to: 'send outstanding' }],
  ],
  [
    'when the broker fails again, what was held goes to the journal',
    returning,
    { type: 'DrainFailed' },
    { ...returning, mode: 'away', turn: 5, keeping: 3, outstanding: 0 },
    [{ to: 'keep outstanding' }],
  ],
  [
    'at a stop everything outstanding goes to the journal',
    direct,
    { type: 'Stopping' },
    { ...away, mode: 'stopped' },
    [{ to: 'keep outstanding' }],
  ],
]

for (const [name, given, happening, then, orders] of cases)
  way(name, () => {
    assert.equal(decide(given, happening), [then, orders])
  })

way.run()
