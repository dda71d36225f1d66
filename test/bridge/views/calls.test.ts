import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallStatusChanged } from '../../../contracts/events/index.ts'
import type { CallDocument } from '../../../contracts/views/call.ts'
import { evolveCall } from '../../../src/bridge/views/calls.ts'
import { anEvent, at, date, inLog } from '../../support/given-events.ts'

const calls = suite('calls')

const call = (id: string, time: string, status: string, rest: object = {}) =>
  anEvent('CallStatusChanged', id, at(time), { call: { type: 'callback', phone: '+15550100', status, ...rest } })
const callOf = (...events: ReadonlyArray<CallStatusChanged>) =>
  inLog(...events).reduce<CallDocument | undefined>(evolveCall, undefined)

const whole = [
  call('e1', '10:00:00', 'start'),
  call('e2', '10:00:03', 'agent_connected'),
  call('e3', '10:00:30', 'end', { recordUrl: 'https://example.com/1.mp3' }),
]

calls('a call has its newest status, every status, and the time from start to end', () => {
  assert.equal(callOf(...whole), {
    _id: 'acme/2037',
    accountId: 'acme',
    applied: { 'calls/0': 2 },
    seen: ['webhooks/e1', 'webhooks/e2', 'webhooks/e3'],
    chatId: '2037',
    widgetId: 'w1',
    type: 'callback',
    phone: '+15550100',
    state: 'end',
    history: [
      { id: 'e1', status: 'start', at: date('10:00:00') },
      { id: 'e2', status: 'agent_connected', at: date('10:00:03') },
      { id: 'e3', status: 'end', at: date('10:00:30') },
    ],
    visitor: { number: '2746', chatsCount: 3, name: 'Ann' },
    recordUrl: 'https://example.com/1.mp3',
    firstEventAt: date('10:00:00'),
    lastEventAt: date('10:00:30'),
    startedAt: date('10:00:00'),
    endedAt: date('10:00:30'),
    totalMs: 30_000,
  })
})

calls('a failed call has its reason', () => {
  const { state, reason, history } = callOf(call('e1', '10:00:00', 'error', { reason: 'busy' })) ?? {}
  assert.equal(
    { state, reason, history },
    { state: 'error', reason: 'busy', history: [{ id: 'e1', status: 'error', at: date('10:00:00'), reason: 'busy' }] },
  )
})

calls('a start after the end starts a new call', () => {
  const failed = anEvent('CallStatusChanged', 'e4', at('10:30:00'), {
    call: { type: 'callback', phone: '+15550100', status: 'error', reason: 'busy' },
    agent: { id: 'a1', name: 'Bob' },
    page: { url: 'https://example.com/a' },
  })
  const { history, ...again } = callOf(...whole, failed, call('e5', '11:00:00', 'start')) ?? { history: [] }
  const { history: _, ...fresh } = callOf(call('e5', '11:00:00', 'start')) ?? { history: [] }
  assert.is(history.length, 5)
  assert.equal(again, {
    ...fresh,
    applied: { 'calls/0': 4 },
    seen: ['webhooks/e1', 'webhooks/e2', 'webhooks/e3', 'webhooks/e4', 'webhooks/e5'],
    firstEventAt: date('10:00:00'),
  })
})

calls('a repeated status is in the history once and does not change the state back', () => {
  assert.equal(callOf(...whole, call('e2', '10:01:00', 'agent_connected')), {
    ...callOf(...whole),
    applied: { 'calls/0': 3 },
  })
})

/** Every order of some statuses. */
const ordersOf = (statuses: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  statuses.length < 2
    ? [statuses]
    : statuses.flatMap((first, i) => ordersOf(statuses.toSpliced(i, 1)).map((others) => [first, ...others]))

/** The call of which these statuses came one second after the other. */
const callInOrder = (statuses: ReadonlyArray<string>) =>
  callOf(...statuses.map((status, i) => call(`e${i}`, `10:00:0${i}`, status)))

for (const statuses of [
  ['start', 'end'],
  ['start', 'error'],
  ['start', 'agent_connected', 'end'],
  ['start', 'agent_connected', 'client_connected', 'end'],
  ['start', 'agent_connected', 'client_connected', 'error'],
  ['start', 'agent_connected', 'client_connected', 'end', 'error'],
])
  calls(`a call is over, in whatever order ${statuses.join(', ')} come`, () => {
    for (const order of ordersOf(statuses)) {
      const last = order.findIndex((status) => status === 'end' || status === 'error')
      const { state, startedAt, endedAt, totalMs, history } = callInOrder(order) ?? {}
      const isStarted = order.indexOf('start') < last
      assert.equal(
        { state, startedAt, endedAt, totalMs, history: history?.map(({ status }) => status) },
        {
          state: order[last],
          startedAt: isStarted ? date(`10:00:0${order.indexOf('start')}`) : undefined,
          endedAt: date(`10:00:0${last}`),
          totalMs: isStarted ? (last - order.indexOf('start')) * 1000 : undefined,
          history: order,
        },
        order.join(', '),
      )
    }
  })

const anew: ReadonlyArray<readonly [title: string, given: ReadonlyArray<readonly [string, string]>, state: string]> = [
  [
    'a start 15 s after an end without a start was overtaken',
    [
      ['10:00:00', 'end'],
      ['10:00:15', 'start'],
    ],
    'end',
  ],
  [
    'a start later than that begins anew',
    [
      ['10:00:00', 'end'],
      ['10:00:16', 'start'],
    ],
    'start',
  ],
  [
    'a start from before the end was overtaken',
    [
      ['10:00:10', 'end'],
      ['10:00:00', 'start'],
    ],
    'end',
  ],
  [
    'a second start after an end begins anew',
    [
      ['10:00:00', 'start'],
      ['10:00:10', 'end'],
      ['10:00:12', 'start'],
    ],
    'start',
  ],
  [
    'a start that was overtaken is none, so that the next one begins anew only when it is late',
    [
      ['10:00:00', 'error'],
      ['10:00:02', 'start'],
      ['10:00:04', 'start'],
      ['10:30:00', 'start'],
    ],
    'start',
  ],
  [
    'the new call ends by itself',
    [
      ['10:00:00', 'error'],
      ['10:30:00', 'start'],
      ['10:31:00', 'end'],
      ['10:31:01', 'agent_connected'],
    ],
    'end',
  ],
]
for (const [title, given, state] of anew)
  calls(title, () => {
    const document = callOf(...given.map(([time, status], i) => call(`e${i}`, time, status)))
    assert.is(document?.state, state)
    assert.is(document?.endedAt === undefined, state === 'start')
    assert.is(document?.history.length, given.length)
  })

calls('a late status adds what the call lacks, but no reason of another end', () => {
  const agent = { id: 'a1', name: 'Bob' }
  const late = anEvent('CallStatusChanged', 'e4', at('10:00:40'), {
    call: { status: 'error', reason: 'busy', recordUrl: 'https://example.com/2.mp3' },
    agent,
  })
  const document = callOf(...whole, late)
  assert.equal(document, {
    ...callOf(...whole),
    applied: { 'calls/0': 3 },
    seen: ['webhooks/e1', 'webhooks/e2', 'webhooks/e3', 'webhooks/e4'],
    history: [
      ...(callOf(...whole)?.history ?? []),
      { id: 'e4', at: date('10:00:40'), status: 'error', reason: 'busy' },
    ],
    agent,
    recordUrl: 'https://example.com/2.mp3',
    lastEventAt: date('10:00:40'),
  })
  const again = call('e5', '10:00:50', 'error', { reason: 'busy' })
  assert.is(callOf(call('e1', '10:00:00', 'error'), again)?.reason, 'busy')
})

calls.run()
