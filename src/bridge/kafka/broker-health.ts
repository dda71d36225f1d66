import type { CheckHealth, Health } from '../domain/checks.ts'
import { singleFlight } from '../shared/single-flight.ts'
import type { Ask } from './admin.ts'
import { kafkaReasonOf } from './errors.ts'
import type { Waiting } from './produce/backlog.ts'

const healthWithinMs = 2_000
const freshMs = 1_000
const stuckAfterMs = 5_000

/** Healthy if a broker answers and no record waits for more than 5 s. The broker's answer is cached for a second. */
export const brokerHealth = (ask: Ask, waiting: () => Waiting, clock: () => number): CheckHealth => {
  let last: { readonly at: number; readonly health: Health } | undefined
  const reach = singleFlight(async (_: 'broker'): Promise<Health> => {
    const health = await ask((admin) => admin.describeCluster(), healthWithinMs).then(
      ({ brokers }) => ({ ok: true, reason: brokers.length === 1 ? '1 broker' : `${brokers.length} brokers` }),
      (error: unknown) => ({ ok: false, reason: kafkaReasonOf(error) }),
    )
    last = { at: clock(), health }
    return health
  })
  return async () => {
    const { records, oldestMs, failing } = waiting()
    if (oldestMs > stuckAfterMs) {
      const causes = failing.map(({ topic, reason }) => `; ${topic}: ${reason}`).join('')
      return { ok: false, reason: `${records} records wait, the oldest for ${Math.round(oldestMs / 1000)} s${causes}` }
    }
    return last !== undefined && clock() - last.at < freshMs ? last.health : reach('broker')
  }
}
