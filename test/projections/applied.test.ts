import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { identity, once } from '../../src/projections/applied.ts'
import { anEvent, at } from '../support/given-events.ts'

const guard = suite('the guard of folded documents')

const place = { topic: 'chats', partition: 2, offset: 7 } as const
const recorded = { ...place, event: anEvent('ChatAccepted', 'e1', at('10:00:00')) }
const current = { applied: { 'chats/2': 6, 'calls/0': 9 }, seen: ['webhooks/e0'], name: 'before' }
const next = (given: { applied: Record<string, number>; seen: string[] }) => ({ ...given, name: 'after' })

guard('takes in a record above the stored offset of its own partition', () => {
  assert.equal(once(current, recorded, next), {
    applied: { 'chats/2': 7, 'calls/0': 9 },
    seen: ['webhooks/e0', 'webhooks/e1'],
    name: 'after',
  })
})

guard('gives the same document for a record at or below it', () => {
  for (const offset of [0, 5, 6]) assert.is(once(current, { ...recorded, offset }, next), current)
})

guard('moves only the offset for an event that was seen', () => {
  const given = { ...current, seen: ['webhooks/e1', 'webhooks/e0'] }
  assert.equal(once(given, recorded, next), { ...given, applied: { 'chats/2': 7, 'calls/0': 9 } })
})

guard('remembers the newest 200 events', () => {
  const seen = Array.from({ length: 200 }, (_, i) => `webhooks/x${i}`)
  assert.equal(once({ ...current, seen }, recorded, next).seen, [...seen.slice(1), 'webhooks/e1'])
})

guard('tells events of different interfaces apart though they have one id', () => {
  assert.equal(
    ['webhooks', 'bot', 'egress'].map((from) => identity({ source: `/accounts/acme/${from}`, id: '1' })),
    ['webhooks/1', 'bot/1', 'egress/1'],
  )
})

guard.run()
