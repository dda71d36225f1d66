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

calls.run()
