import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { firstSeen, identity } from '../../src/ingress/identity.ts'
import { recentMemory } from '../../src/ingress/recent.ts'

const minute = 60_000
const body = Buffer.from('{"event_name":"chat_accepted"}')
const times = fc.integer({ min: 0, max: 4_000_000_000_000 })
const ids = suite('identity')

ids('the same body within ten minutes of its first sighting is the same event, later it is a new one', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 0, max: 30 * minute }), (start, later) => {
      const idOf = identity()
      assert.is(idOf('acme', body, start) === idOf('acme', body, start + later), later < 10 * minute)
    }),
  )
})

ids('repeats do not prolong the ten minutes', () => {
  const idOf = identity()
  const [first, ...repeats] = [0, 9, 9.99, 10, 19, 20].map((m) => idOf('acme', body, m * minute))
  assert.equal(
    repeats.map((id) => id === first),
    [true, true, false, false, false],
  )
  assert.is(new Set([first, ...repeats]).size, 3)
})

ids('instances that have seen nothing agree within a ten-minute window of the clock', () => {
  fc.assert(
    fc.property(fc.nat(400_000), fc.nat(10 * minute - 1), fc.nat(10 * minute - 1), (window, a, b) => {
      const start = window * 10 * minute
      assert.is(identity()('acme', body, start + a), identity()('acme', body, start + b))
    }),
  )
})

ids('any other body or account is another event', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), fc.constantFrom('acme', 'b'), (one, other, account) => {
      const idOf = identity()
      const same = Buffer.compare(one, other) === 0 && account === 'acme'
      assert.is(idOf('acme', one, 0) === idOf(account, other, 0), same)
    }),
  )
})

ids('an id is 32 characters of base64url', () => {
  assert.match(identity()('acme', body, 0), /^[\w-]{32}$/)
})

ids('a body that was crowded out of memory is told by the clock alone', () => {
  const idOf = identity(recentMemory(1))
  const first = idOf('acme', body, 9 * minute)
  idOf('acme', Buffer.from('1'), 9 * minute)
  idOf('acme', Buffer.from('2'), 9 * minute)
  assert.is.not(idOf('acme', body, 11 * minute), first)
  assert.is(firstSeen(undefined, 11), 11)
})

ids.run()
