import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newKeyFile } from '../../../../src/bridge/archive/key-file.ts'
import { eventually } from '../../../support/eventually.ts'
import { endsOf } from '../../../support/plain-consumer.ts'
import type { Bench, Findings, Job } from '../bench.ts'
import { bridgeWorld } from '../bridge.ts'
import { gatherFindings } from '../findings.ts'
import { cpuSeconds, residentMb } from '../proc.ts'
import { seed } from '../seed.ts'
import { inTurns } from '../turns.ts'

/** A process with the role archiver, and its topics. */
const participant = async (bench: Bench, keyFile: string, who: string, checkout?: string) => {
  const { rate, chats, perChat } = bench.size.archiver
  const name = who === 'before' ? 'archived-before' : 'archived'
  const world = bridgeWorld(bench, { name, ...(checkout !== undefined && { checkout }) })
  const { pid } = await world.start(['archiver'], { env: { ARCHIVE_KEY_FILE: keyFile } })
  let written = 0
  const archived = async () => {
    const ends = await endsOf(bench.brokers, [`${world.prefix}archive-chats`])
    return [...ends.values()].reduce((sum, end) => sum + end, 0)
  }
  /** CPU seconds for each event, measured over this many seconds of events. */
  const measure = async (seconds: number) => {
    const since = cpuSeconds(pid)
    const count = Math.round(rate * seconds)
    const topic = `${world.prefix}chats`
    await seed(bench, { topic, as: 'events', from: written, count, chats, perChat, perSecond: rate })
    written += count
    await eventually('the archive', async () => (await archived()) >= written || undefined)
    return (cpuSeconds(pid) - since) / count
  }
  return { who, measure, memory: () => residentMb(pid), archived, written: () => written }
}

/** Chats of twelve events each, like the simulator's: each new chat needs its own data key. */
const run = async (bench: Bench): Promise<Findings> => {
  const { add, check, findings } = gatherFindings()
  const { rounds, rate, seconds, perChat } = bench.size.archiver
  const { before } = bench.bridge
  const keyFile = join(bench.dataDir, 'archive-keys.json')
  writeFileSync(keyFile, newKeyFile('bench'))
  const participants = [
    await participant(bench, keyFile, 'bridge, role archiver'),
    ...(before === undefined ? [] : [await participant(bench, keyFile, 'before', before)]),
  ]
  for (const { measure } of participants) await measure(bench.size.warmUp)
  await inTurns(rounds, participants, async ({ who, measure, memory }, round) => {
    const perEvent = await measure(seconds)
    const of = { case: `${rate} events/s, chats of ${perChat} events`, who }
    add({ ...of, metric: 'CPU', unit: 'µs an event' }, perEvent * 1e6)
    add({ ...of, metric: 'CPU at that rate', unit: '% of a core' }, perEvent * rate * 100)
    add({ ...of, metric: 'memory', unit: 'MB' }, memory())
    bench.say(`${who}, round ${round + 1}: ${(perEvent * rate * 100).toFixed(1)} % of a core`)
  })
  for (const { archived, written } of participants) check('events in the archive', written(), await archived())
  return findings()
}

export const archiver: Job = { name: 'archiver', what: 'events encrypted into the archive at a fixed rate', run }
