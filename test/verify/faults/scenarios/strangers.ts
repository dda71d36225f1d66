import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { send } from '../../../bridge/ingress/harness.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { memoryOf } from '../heap.ts'
import type { Exchange } from '../history.ts'
import { strangersAttack } from '../hostile/strangers.ts'
import { observedWorld } from '../observed-world.ts'
import { after, wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

/** Events before the attack, and its duration in seconds. */
const sizes = { long: { usual: 5_000, seconds: 60 }, short: { usual: 600, seconds: 10 } } as const
/** The limit for all bodies of a process (README), and room for connections, garbage and a growing young generation. */
const mostGrownMib = 64 + 160
/** The promise is twice the earlier p99. Other work delays some events: a note has the p99, the check allows more. */
const roomMs = 2_000
const most401 = (seconds: number) => 50 + 25 * seconds + 64
const guarded = { clientId: 'guarded-client', secretKey: 'secret-key-of-guarded' }

/** Beside the account of the good events: one that requests access tokens. */
const accountsOf = (name: string) => {
  const bot = { providerId: 'p', baseUrl: 'http://127.0.0.1:1' }
  return {
    accounts: [
      { id: 'acme', webhooks: { token: `webhooks-${name}` }, bot: { ...bot, token: `bot-token-${name}` } },
      { id: 'guarded', bot: { ...bot, token: `bot-token-guarded-${name}`, authorization: guarded } },
    ],
  }
}

const p99Of = (history: ReadonlyArray<Exchange>): number => {
  const times = history.map(({ sentAt, endedAt }) => endedAt - sentAt).sort((a, b) => a - b)
  return Math.round(times[Math.floor(times.length * 0.99)] ?? 0)
}

const grant = `grant_type=client_credentials&client_id=${guarded.clientId}&client_secret=${guarded.secretKey}`

/** Requests an access token twice a second, like the service. Returns the responses other than 200. */
const grants = (port: number) => {
  const refused: string[] = []
  const one = async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await send(port, '/oauth/token', { headers, body: grant }).catch((error: Error) => error)
    if (reply instanceof Error || reply.status !== 200)
      refused.push(reply instanceof Error ? reply.message : `status ${reply.status}`)
  }
  const timer = setInterval(one, 500)
  return { refused, stop: () => clearInterval(timer) }
}

/** A sender without a token cannot slow down others, fill the memory, or try secrets at full speed. */
export const strangers: Scenario = {
  name: 'strangers',
  promises: '19',
  fault:
    'without a token: media types that take long to read, connections that hold bodies, guesses of tokens and secrets',
  controls: ['bounds of bodies without credentials', 'the delay after failures'],
  inShort: true,
  shortControls: [],
  run: async (cluster, size, without) => {
    const { usual: count, seconds: attackSeconds } = sizes[size]
    const here = await observedWorld(cluster, without)
    const name = here.prefix.slice(0, -1)
    const config = join(cluster.dataDir, `${name}-accounts.json`)
    writeFileSync(config, JSON.stringify(accountsOf(name)))
    const place = await here.place(['ingress'], { BRIDGE_CONFIG: config })
    const bridge = await place.start()
    await here.ready(bridge)
    const port = Number(new URL(bridge.url).port)
    const posts = here.recorder([place])
    const load = posts.drive(streams({ workers: 4, messages: true }), { pauseMs: 10 })
    const granted = grants(port)

    await after(count / 2, posts, load, 60_000)
    const warm = posts.sent()
    await after(count, posts, load, 60_000)
    const usual = p99Of(posts.history.slice(warm))
    const sentBefore = posts.sent()
    const before = memoryOf(bridge.pid)
    before.forgetPeak()
    const attack = strangersAttack({ port, clientId: guarded.clientId })
    await wait(attackSeconds * 1000)
    const { requests, holders, guesses, types } = await attack.stop()
    const { peakMib } = memoryOf(bridge.pid)
    const attacked = p99Of(posts.history.slice(sentBefore))
    granted.stop()
    posts.halt()
    await load
    const drained = await here.drained(bridge)
    const verdict = await here.verdict(posts.history)
    await bridge.kill('SIGTERM')
    await here.stop()
    const grownMib = peakMib - before.nowMib
    const refused401 = guesses.answers.get(401) ?? 0
    const tooMany = posts.history.filter(({ status }) => status === 429).map(({ chat, seq }) => `${chat} #${seq}`)
    return findingsOf(verdict, {
      injected: requests,
      failures: [
        ...unless(attacked <= 2 * usual + roomMs, `p99 of ${attacked} ms, and ${usual} ms before`),
        ...unless(grownMib <= mostGrownMib, `the bridge has grown by ${grownMib} MiB`),
        ...unless(refused401 > 0, 'no guess was refused'),
        ...unless(
          refused401 <= most401(guesses.seconds),
          `${refused401} answers 401 in ${guesses.seconds.toFixed(1)} s`,
        ),
        ...wrong('good events answered 429', tooMany),
        ...wrong('access tokens that were not granted', granted.refused),
        ...unless(drained, 'the journal was not drained'),
      ],
      notes: [
        `p99 ${usual} ms before, ${attacked} ms meanwhile`,
        `at most ${grownMib} MiB more resident, with ${holders} connections that held a body`,
        `media types: ${types}`,
        `guesses in ${guesses.seconds.toFixed(1)} s: ${guesses.told}`,
      ],
    })
  },
}
