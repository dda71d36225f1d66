import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sent, send } from '../../../bridge/ingress/harness.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { memoryOf } from '../heap.ts'
import type { Exchange } from '../history.ts'
import { strangersAttack } from '../hostile/strangers.ts'
import { observedWorld } from '../observed-world.ts'
import { after, wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'
import { message } from '../traffic.ts'

/** Events before the attack, and its duration in seconds. */
const sizes = { long: { usual: 5_000, seconds: 60 }, short: { usual: 600, seconds: 10 } } as const
/** The limit for all bodies of a process (README), and room for connections, garbage and a growing young generation. */
const mostGrownMib = 64 + 160
/** The promise is twice the earlier p99. Other work delays some events: a note has the p99, the check allows more. */
const roomMs = 2_000
const most401 = (seconds: number) => 50 + 25 * seconds + 64
const guarded = { clientId: 'guarded-client', secretKey: 'secret-key-of-guarded' }

const outdated = { clientId: 'outdated-client', secretKey: 'new-secret-key-of-outdated' }
const botTokenOf = (account: string, name: string) => `bot-token-${account}-${name}`

/** Beside the account of the good events: one that requests access tokens, and one whose old tokens are still sent. */
const accountsOf = (name: string) => {
  const bot = { providerId: 'p', baseUrl: 'http://127.0.0.1:1' }
  return {
    accounts: [
      { id: 'acme', webhooks: { token: `webhooks-${name}` }, bot: { ...bot, token: `bot-token-${name}` } },
      { id: 'guarded', bot: { ...bot, token: botTokenOf('guarded', name), authorization: guarded } },
      { id: 'outdated', bot: { ...bot, token: botTokenOf('outdated', name), authorization: outdated } },
    ],
  }
}

const p99Of = (history: ReadonlyArray<Exchange>): number => {
  const times = history.map(({ sentAt, endedAt }) => endedAt - sentAt).sort((a, b) => a - b)
  return Math.round(times[Math.floor(times.length * 0.99)] ?? 0)
}

const grant = `grant_type=client_credentials&client_id=${guarded.clientId}&client_secret=${guarded.secretKey}`

/** Requests an access token twice a second and sends an event with it, like the service. Returns other answers than 200. */
const grants = (port: number, path: string) => {
  const refused: string[] = []
  const times: number[] = []
  const ask = async (to: string, sent: Sent) => {
    const began = performance.now()
    const reply = await send(port, to, sent).catch((error: Error) => error)
    times.push(performance.now() - began)
    if (!(reply instanceof Error) && reply.status === 200) return reply.text
    // The event is in the journal only: that is about Kafka, and so for good events.
    if (to === path && !(reply instanceof Error) && reply.status === 503) return undefined
    refused.push(`${to === path ? 'an event' : 'a token'}: ${reply instanceof Error ? reply.message : reply.status}`)
    return undefined
  }
  let events = 0
  const one = async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const granted = await ask('/oauth/token', { headers: form, body: grant })
    if (granted === undefined) return
    const authorization = `Bearer ${JSON.parse(granted).access_token}`
    const headers = { 'content-type': 'application/json', authorization }
    await ask(path, { headers, body: message(900, ++events).body })
  }
  const timer = setInterval(one, 500)
  return { refused, times, stop: () => clearInterval(timer) }
}

/**
 * A sender without a token cannot slow down others, fill the memory, or try secrets at full speed. A sender with removed
 * tokens, at the address of all accounts, cannot either.
 */
export const strangers: Scenario = {
  name: 'strangers',
  promises: '19, 23',
  fault:
    'without a token: media types that take long to read, connections that hold bodies, guesses of tokens and secrets; removed tokens and secrets of one account at 40 a second each, from the address of all accounts',
  controls: [
    'bounds of bodies without credentials',
    'the delay after failures',
    'what is valid does not pay for its address',
  ],
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
    const granted = grants(port, `/bot/${botTokenOf('guarded', name)}`)

    await after(count / 2, posts, load, 60_000)
    const warm = posts.sent()
    await after(count, posts, load, 60_000)
    const usual = p99Of(posts.history.slice(warm))
    const sentBefore = posts.sent()
    const before = memoryOf(bridge.pid)
    before.forgetPeak()
    const grantedBefore = granted.times.length
    const staleAccount = { botToken: botTokenOf('outdated', name), clientId: outdated.clientId }
    const attack = strangersAttack({ port, clientId: guarded.clientId, staleAccount })
    await wait(attackSeconds * 1000)
    const { requests, holders, guesses, stale, types } = await attack.stop()
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
        ...wrong('access tokens and events with them that were refused', granted.refused),
        ...unless((stale.answers.get(401) ?? 0) > 0, 'nothing stale was refused'),
        ...unless((stale.answers.get(200) ?? 0) === 0, 'something stale was admitted'),
        ...unless(drained, 'the journal was not drained'),
      ],
      notes: [
        `p99 ${usual} ms before, ${attacked} ms meanwhile`,
        `at most ${grownMib} MiB more resident, with ${holders} connections that held a body`,
        `media types: ${types}`,
        `stale tokens, from the address of all: ${stale.told}; ${granted.times.length - grantedBefore} requests of the account with access tokens, the slowest in ${Math.round(Math.max(0, ...granted.times.slice(grantedBefore)))} ms`,
        `guesses in ${guesses.seconds.toFixed(1)} s: ${guesses.told}`,
      ],
    })
  },
}
