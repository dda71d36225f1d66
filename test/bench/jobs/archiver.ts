import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newKeyFile } from '../../../src/archive/key-file.ts'
import { eventually } from '../../support/eventually.ts'
import { endsOf } from '../../support/plain-consumer.ts'
import type { Bench, Findings, Job } from '../bench.ts'
import { bridgeWorld } from '../bridge.ts'
import { gatherFindings } from '../findings.ts'
import { cpuSeconds, residentMb } from '../proc.ts'
import { seed } from '../seed.ts'

/** Chats of twelve events each, as the simulator's are: each new chat needs a data key of its own. */
const run = async (bench: Bench): Promise<Findings> => {
  const { add, check, findings } = gatherFindings()
  const { rounds, rate, seconds, chats, perChat } = bench.size.archiver
  const world = bridgeWorld(bench, { name: 'archived' })
  const keyFile = join(bench.dataDir, 'archive-keys.json')
  writeFileSync(keyFile, newKeyFile('bench'))
  const { pid } = await world.start(['archiver'], { env: { ARCHIVE_KEY_FILE: keyFile } })
  let written = 0
  const archived = async () => {
    const ends = await endsOf(bench.brokers, [`${world.prefix}archive-chats`])
    return [...ends.values()].reduce((sum, end) => sum + end, 0)
  }
  const measure = async (forSeconds: number) => {
    const since = cpuSeconds(pid)
    const count = Math.round(rate * forSeconds)
    const topic = `${world.prefix}chats`
    await seed(bench, { topic, as: 'events', from: written, count, chats, perChat, perSecond: rate })
    written += count
    await eventually('the archive', async () => (await archived()) >= written || undefined, 60_000)
    return (cpuSeconds(pid) - since) / count
  }
  await measure(bench.size.warmUp)
  for (let round = 0; round < rounds; round++) {
    const perEvent = await measure(seconds)
    const of = { case: `${rate} events/s, chats of ${perChat} events`, who: 'bridge, role archiver' }
    add({ ...of, metric: 'CPU', unit: 'µs an event' }, perEvent * 1e6)
    add({ ...of, metric: 'CPU at that rate', unit: '% of a core' }, perEvent * rate * 100)
    add({ ...of, metric: 'memory', unit: 'MB' }, residentMb(pid))
    bench.say(`round ${round + 1}: ${(perEvent * rate * 100).toFixed(1)} % of a core`)
  }
  check('events in the archive', written, await archived())
  return findings()
}

export const archiver: Job = { name: 'archiver', what: 'events encrypted into the archive at a fixed rate', run }
