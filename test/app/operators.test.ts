import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { answerPeer, askPeer, joinReadiness } from '../../src/app/operators.ts'
import { unmeasured } from '../../src/bridge/domain/metrics.ts'
import type { Readiness } from '../../src/bridge/http/health.ts'
import { createHttpServer } from '../../src/bridge/http/server.ts'
import { right } from '../support/either.ts'
import { silent } from '../support/silent-log.ts'

const back: Readiness = {
  ready: true,
  checks: {
    kafka: { ok: true, reason: '1 broker' },
    archiver: { ok: true, isLimited: true, isOff: true, reason: 'does not run: ARCHIVE_KEY_FILE is not set' },
  },
}

/** The other process on a free port, as this process knows it and as a stranger with another token does. */
const given = async () => {
  let url: string | undefined
  const peer = { token: 'a token', url: () => url }
  const answering = { readiness: () => back, metrics: () => ({ joint: [], alone: '' }), gates: () => [] }
  const server = createHttpServer(
    { measure: unmeasured, log: silent, monotonic: () => performance.now() },
    () => [answerPeer(peer, answering)],
    { leaveMs: 0, closeOnNextResponseMs: 0 },
  )
  url = `http://127.0.0.1:${right(await server.listen('127.0.0.1', 0)).port}`
  return { peer, stranger: { ...peer, token: 'b token' }, stop: server.stop }
}

const peers = suite('two processes')

peers('learn the health of each other whole, also what is limited', async () => {
  const { peer, stranger, stop } = await given()
  const answers = [await askPeer(peer, 'readiness', 5_000), await askPeer(stranger, 'readiness', 5_000)]
  await stop()
  assert.equal(answers, [back, undefined])
})

const works = { ok: true, reason: 'works' }
const fails = { ok: false, reason: 'fails' }
const isLimited = { ok: true, isLimited: true, reason: 'limited' } as const
for (const [what, own, other, both] of [
  ['fails in this process', fails, isLimited, fails],
  ['fails in the other process', isLimited, fails, fails],
  ['is limited in this process', isLimited, works, isLimited],
  ['is limited in the other process', works, isLimited, isLimited],
  ['works in both', works, works, works],
] as const)
  peers(`a check that ${what} is shown so`, () => {
    const joined = joinReadiness(
      { ready: own.ok, checks: { kafka: own } },
      { ready: other.ok, checks: { kafka: other } },
      'back',
    )
    assert.equal(joined, { ready: own.ok && other.ok, checks: { kafka: both } })
  })

peers.run()
