// Latency of replies to healthy chats while others fail, and without faults: `node test/bench/egress-faults.ts`
import { parseArgs } from 'node:util'
import type { Id } from '../../contracts/primitives.ts'
import type { Script } from '../../src/simulator/behaviour.ts'
import { startCluster } from '../faults/cluster.ts'
import { observedWorld } from '../faults/observed-world.ts'
import { wait } from '../faults/progress.ts'
import { areFinished, botLogic } from '../faults/replies.ts'
import { atRandom } from '../support/behaviours.ts'

export type Latency = { readonly replies: number; readonly p50: number; readonly p99: number; readonly max: number }
/** Milliseconds from the sending of a command to its arrival at the service, for chats without their own fault. */
export type EgressFaults = {
  readonly faultFree: Latency
  readonly withFaults: Latency
  /** The same for an account with an occasional 429, which delays the whole account at the service's request. */
  readonly with429: Latency
  /** `withFaults` divided by `faultFree`, of the 99th percentiles. */
  readonly ratio: number
}

const chats = 200
const tickMs = 50
const isHealthy = (chatId: string) => Number(chatId) % 2 === 0

const faults: Script = atRandom(1, [
  { share: 0.05, behaviour: { kind: 'late', ms: 4_000 } },
  { share: 0.1, behaviour: { kind: 'error', status: 503 } },
])
const failing = '1001'
const onTheSick: Script = (request) => {
  if (isHealthy(request.chatId)) return undefined
  return request.chatId === failing ? { kind: 'error', status: 500 } : faults(request)
}
const throttling = atRandom(2, [{ share: 0.002, behaviour: { kind: 'too-many-requests', retryAfterSeconds: 1 } }])
const phases = {
  faultFree: () => undefined,
  withFaults: onTheSick,
  with429: (request) => onTheSick(request) ?? (isHealthy(request.chatId) ? undefined : throttling(request)),
} as const satisfies Record<string, Script>
type Phase = keyof typeof phases

const latencyOf = (all: ReadonlyArray<number>): Latency => {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { replies: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/**
 * Broker, mongod and bridge are processes of their own; the load and the service are in this process. Phases take
 * turns, so that other work on the machine affects all of them. Half of the chats have the faults of promise 10.
 */
export const egressFaults = async ({ seconds = 10, perSecond = 20, rounds = 2 } = {}): Promise<EgressFaults> => {
  const cluster = await startCluster()
  const here = await observedWorld(cluster, undefined, { replyWithin: 3_600_000 })
  const { service, requestsById } = here
  const place = await here.place(['egress', 'projector'])
  await here.ready(await place.start())
  const bot = await botLogic(here)
  const sentAt = new Map<string, number>()
  const ids = Object.fromEntries(Object.keys(phases).map((name) => [name, [] as string[]])) as Record<Phase, string[]>

  const drive = async (forMs: number, keep: (id: string) => void) => {
    for (const until = performance.now() + forMs; performance.now() < until; await wait(tickMs)) {
      const replies = Array.from({ length: Math.max(1, (perSecond * tickMs) / 1_000) }, (_, i) => {
        const n = sentAt.size + i
        return { chat: String(1_000 + ((n * 7) % chats)), id: `r${n}`, text: `reply ${n}` }
      })
      for (const { chat, id } of replies) {
        sentAt.set(id, Date.now())
        if (isHealthy(chat)) keep(id)
      }
      await bot.say(replies)
    }
    await areFinished(here, sentAt.size, 120_000)
  }
  await drive(3_000, () => {})
  for (let round = 0; round < rounds; round++)
    for (const [name, script] of Object.entries(phases) as ReadonlyArray<readonly [Phase, Script]>) {
      service.misbehave(script)
      await drive(seconds * 1_000, (id) => ids[name].push(id))
    }
  await bot.stop()
  const requests = requestsById()
  const tookFor = (id: string) => {
    const applied = requests.get(id as Id)?.find((request) => request.applied)
    return applied === undefined ? Number.POSITIVE_INFINITY : applied.at - (sentAt.get(id) ?? 0)
  }
  const latency = (name: Phase) => latencyOf(ids[name].map(tookFor))
  const [faultFree, withFaults, with429] = [latency('faultFree'), latency('withFaults'), latency('with429')]
  await cluster.heal()
  await cluster.stop()
  return { faultFree, withFaults, with429, ratio: withFaults.p99 / faultFree.p99 }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })
  const found = await egressFaults({ seconds: Number(values.seconds) })
  console.log(JSON.stringify(found, null, 2))
  console.log(`p99 of healthy chats with faults: ${found.ratio.toFixed(2)} times that without`)
  process.exit(found.ratio <= 2 ? 0 : 1)
}
