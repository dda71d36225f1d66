import { Gauge, type Registry } from 'prom-client'

const forgottenAfterMs = 60_000

/**
 * How far behind each partition is, as last told: after each slice, and every ten seconds while none comes. One that is not
 * told of for a minute is another process's now, and its last value would stay here for ever as an alarm that nobody can end;
 * or its handler fails, which readiness tells.
 */
export const lagGauge = (registers: Registry[], clock: () => number) => {
  const labelNames = ['group', 'topic', 'partition'] as const
  const toldAt = new Map<
    string,
    { readonly labels: Record<(typeof labelNames)[number], string>; readonly at: number }
  >()
  const gauge = new Gauge({
    name: 'livechat_consumer_lag_records',
    help: 'Records that a group has not handled yet',
    labelNames,
    registers,
    collect() {
      for (const [name, { labels, at }] of toldAt) {
        if (clock() - at <= forgottenAfterMs) continue
        toldAt.delete(name)
        this.remove(labels)
      }
    },
  })
  return (group: string, topic: string, partition: number, behind: number): void => {
    const labels = { group, topic, partition: String(partition) }
    toldAt.set(`${group} ${topic} ${partition}`, { labels, at: clock() })
    gauge.set(labels, behind)
  }
}
