import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { inspectable, quietHeapOf } from '../heap.ts'
import { attack } from '../hostile/attack.ts'
import { withoutShared } from '../hostile/documents.ts'
import { notAsKept } from '../hostile/kept.ts'
import { overload } from '../hostile/overload.ts'
import { pipeline } from '../hostile/pipeline.ts'
import { slowly } from '../hostile/slow.ts'
import { observedWorld } from '../observed-world.ts'
import { readLog, toLogRecord } from '../read-log.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

const mebibyte = 1024 ** 2
const limit = 100
const tokens = { webhooks: 'webhooks-of-hostile', bot: 'bot-token-of-hostile' }
const pipelinedToken = 'webhooks-of-pipelined'
// The promise is the limit and 1 s. Other work may delay a run: a note has the time, and the check allows more.
const sizes = {
  long: { bodies: 100_000, slow: 200, pipelined: 1_000, seconds: 10, allowanceMs: 5_000 },
  short: { bodies: 3_000, slow: 20, pipelined: 100, seconds: 2, allowanceMs: 20_000 },
} as const

/** Beside the account of the good events: one for hostile requests, one for pipelined ones, one with a rate limit. */
const accountsOf = (name: string) => {
  const bot = { providerId: 'p', baseUrl: 'http://127.0.0.1:1' }
  return {
    accounts: [
      { id: 'acme', webhooks: { token: `webhooks-${name}` }, bot: { ...bot, token: `bot-token-${name}` } },
      { id: 'hostile', webhooks: { token: tokens.webhooks }, bot: { ...bot, token: tokens.bot } },
      { id: 'pipelined', webhooks: { token: pipelinedToken } },
      { id: 'limited', requestsPerSecond: limit, bot: { ...bot, token: 'bot-token-of-limited' } },
    ],
  }
}

/** Bad input in any amount, at any speed: it gets its own error, and good events do not suffer. */
export const hostile: Scenario = {
  name: 'hostile',
  promises: '13',
  fault: 'mutated bodies, bombs, wrong tokens, slow headers and bodies, pipelining, ten times the rate limit',
  controls: ['a bound on nesting', 'limits of time for a request'],
  inShort: true,
  shortControls: ['a bound on nesting'],
  run: async (cluster, size, without) => {
    const { bodies, slow, pipelined, seconds, allowanceMs } = sizes[size]
    const here = await observedWorld(cluster, without)
    const name = here.prefix.slice(0, -1)
    const config = join(cluster.dataDir, `${name}-accounts.json`)
    writeFileSync(config, JSON.stringify(accountsOf(name)))
    const place = await here.place(['ingress', 'projector'], { BRIDGE_CONFIG: config, ...inspectable })
    const bridge = await place.start()
    await here.ready(bridge)
    const port = Number(new URL(bridge.url).port)
    const posts = here.recorder([place])
    const load = posts.drive(streams({ workers: 4, messages: true }), { pauseMs: 10 })
    const seed = Date.now() % 2 ** 31
    const hostiles = attack(port, tokens, seed)

    await hostiles.send(bodies / 10)
    const first = await quietHeapOf(bridge)
    const slowOnes = slowly(port, tokens, slow, allowanceMs)
    const limited = overload(port, 'bot-token-of-limited', limit, 10, seconds)
    await hostiles.send(bodies - bodies / 10)
    const answersInTurn = (
      await Promise.all(Array.from({ length: 5 }, () => pipeline(port, `/webhooks/${pipelinedToken}`, pipelined)))
    ).flat()
    const [{ longest, wrong: uncut }, { told, wrong: unlimited }] = await Promise.all([slowOnes, limited])
    posts.halt()
    await load
    const caughtUp = await here.caughtUp(without === undefined ? 120_000 : 15_000)
    const last = await quietHeapOf(bridge)
    hostiles.stop()

    const quarantined = (await readLog(here.brokers, here.prefix, ['quarantine'])).filter(
      ({ key }) => key?.toString() === 'hostile',
    )
    const log = await here.log()
    const [dead, expected, actual] = [await here.dead(), await here.fold(), await here.documents()]
    const comparable = withoutShared(log)
    const good = log.filter(({ key, headers }) => key?.toString().startsWith('acme/') && headers.ce_id).map(toLogRecord)
    const repeated = (await bridge.metric('livechat_produce_failures_total')) ?? 0
    const exitCode = (await bridge.kill('SIGTERM')).code
    await here.stop()
    const grown = last - first
    return findingsOf(check(posts.history, good), {
      injected: bodies,
      failures: [
        ...wrong('answers that are not of the table', hostiles.wrong),
        ...wrong('bodies that are not kept as they came', notAsKept(hostiles.kept, quarantined)),
        ...wrong('slow connections that were not cut off in time', uncut),
        ...wrong('answers out of turn', answersInTurn),
        ...wrong('answers to too many requests', unlimited),
        ...wrong(
          'good events that were refused',
          posts.history
            .filter(({ status }) => status !== 200 && status !== 503)
            .map(({ chat, seq, status }) => `${chat} #${seq} ${status}`),
        ),
        ...unless(grown < 64 * mebibyte, `the heap has grown by ${Math.round(grown / mebibyte)} MiB`),
        ...unless(caughtUp, 'the projector did not catch up'),
        ...unless(dead.length === 0, `${dead.length} dead letters of what ingress took`),
        ...wrong(
          'documents that differ from the fold of the log',
          wrongDocuments(comparable(expected), comparable(actual)),
        ),
        ...unless(exitCode === 0, `exit code ${exitCode}`),
      ],
      notes: [
        `${[...hostiles.answers]
          .sort(([a], [b]) => a - b)
          .map(([status, count]) => `${count} times ${status}`)
          .join(', ')}`,
        `${quarantined.length} in quarantine, byte for byte, ${repeated} sends repeated; seed ${seed}`,
        `cut off: ${longest}`,
        `ten times the limit: ${told}`,
        `heap ${(first / mebibyte).toFixed(0)} MiB after a tenth, ${(last / mebibyte).toFixed(0)} MiB at the end, without garbage`,
      ],
    })
  },
}
