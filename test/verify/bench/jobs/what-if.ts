import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { now } from '../../../../src/bridge/domain/clock.ts'
import { unmeasured } from '../../../../src/bridge/domain/metrics.ts'
import { connectKafka } from '../../../../src/bridge/kafka/kafka.ts'
import { right } from '../../../support/either.ts'
import { silent } from '../../../support/silent-log.ts'
import { accountId } from '../account.ts'
import type { Bench, Findings, Job } from '../bench.ts'
import { bridgeWorld } from '../bridge.ts'
import { gatherFindings } from '../findings.ts'
import { dayOf } from '../load/conversations-of-a-day.ts'
import { residentMb } from '../proc.ts'

const command = fileURLToPath(new URL('../../../../src/app/livechat-bridge', import.meta.url))
const bot = fileURLToPath(new URL('../../../bot/what-if/bots/day.ts', import.meta.url))

const run = async (bench: Bench): Promise<Findings> => {
  const { add, check, draw, findings } = gatherFindings()
  const { turns } = bench.size.whatIf
  const world = bridgeWorld(bench, { name: 'what-if' })
  await world.makeTopics()
  const kafka = connectKafka(
    { brokers: bench.brokers, ssl: false, clientId: 'bench', topicPrefix: world.prefix, partitions: 6 },
    { log: silent, measure: unmeasured, now },
  )
  let asked = 0
  let appended: Array<ReturnType<typeof kafka.publish>> = []
  for (const { events, turns: more } of dayOf(turns, 7)) {
    if (asked >= turns) break
    asked += more
    appended.push(...events.map((event) => kafka.publish(event, 60_000)))
    if (appended.length < 2_000) continue
    for (const each of await Promise.all(appended)) right(each)
    appended = []
  }
  for (const each of await Promise.all(appended)) right(each)
  await kafka.stop()

  const out = join(bench.dataDir, 'what-if-report')
  const span = ['--account', accountId, '--from', '2026-01-31', '--to', '2026-02-02']
  const began = performance.now()
  const child = spawn('sh', [command, 'what-if', ...span, '--bot', bot, '--out', out], {
    env: { ...process.env, ...world.env },
    stdio: 'ignore',
  })
  const points: Array<readonly [number, number]> = []
  const { pid } = child
  const watching = setInterval(() => {
    if (pid !== undefined) points.push([(performance.now() - began) / 1000, residentMb(pid)])
  }, 250)
  const [code] = await once(child, 'close')
  clearInterval(watching)
  const seconds = (performance.now() - began) / 1000
  const of = { case: `${turns} turns of an instant bot`, who: 'what-if, a module in process' }
  add({ ...of, metric: 'time', unit: 's' }, seconds)
  const highest = (from: number, to: number) =>
    Math.max(0, ...points.flatMap(([at, mb]) => (at >= from * seconds && at <= to * seconds ? [mb] : [])))
  add({ ...of, metric: 'memory, first half', unit: 'MB' }, highest(0, 0.5))
  add({ ...of, metric: 'memory', unit: 'MB' }, highest(0.5, 1))
  draw({ who: of.who, metric: 'memory', unit: 'MB', points })
  check('exit code', 0, Number(code))
  const lines = readFileSync(join(out, 'report.jsonl'), 'utf8').trim().split('\n').length
  check('at least all turns of clients are reported', 1, lines >= asked ? 1 : 0)
  bench.say(`${lines} turns in ${seconds.toFixed(1)} s`)
  return findings()
}

export const whatIf: Job = { name: 'what-if', what: 'turns of the log against an instant bot', run }
