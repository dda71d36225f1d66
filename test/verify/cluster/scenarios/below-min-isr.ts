import kafkajs from 'kafkajs'
import { withAdmin } from '../../../support/plain-consumer.ts'
import { unless } from '../../faults/findings.ts'
import type { Scenario } from '../../faults/scenario.ts'
import type { Three } from '../three.ts'
import { underLoad } from '../under-load.ts'

const setMinimum = ({ brokers }: Three, topics: ReadonlyArray<string>, replicas: number) =>
  withAdmin(brokers, (admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: topics.map((name) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name,
        configEntries: [{ name: 'min.insync.replicas', value: String(replicas) }],
      })),
    }),
  )

/** Too few replicas for a write: first one broker is missing, while a quorum is left; then two of three are dead. */
export const belowMinIsr: Scenario<Three> = {
  name: 'below-min-isr',
  promises: '1, 2, 3, 4',
  fault: 'below min.insync.replicas: NOT_ENOUGH_REPLICAS with one broker away; then two of three SIGKILL',
  controls: ['the journal'],
  inShort: false,
  shortControls: [],
  run: (cluster, size, without) =>
    underLoad(cluster, without, async ({ topics, passes, goesOn, posts }) => {
      const failures: string[] = []
      const notes: string[] = []
      const count = size === 'long' ? 1_000 : 300

      /** Posts while writes fail, and judges the responses. */
      const away = async (what: string) => {
        // Requests in flight at the beginning may get either response.
        await passes(30)
        const from = posts.history.length
        await passes(count)
        const meanwhile = posts.history.slice(from)
        const webhooks = meanwhile.filter(({ chat }) => chat.startsWith('chats '))
        const accepted = webhooks.filter(({ status }) => status === 200).length
        const messages = meanwhile.filter(({ chat }) => !chat.startsWith('chats '))
        const refused = messages.filter(({ status, retryAfter }) => status === 503 && retryAfter !== undefined).length
        failures.push(
          ...unless(accepted === webhooks.length, `${what}: ${accepted} of ${webhooks.length} webhooks accepted`),
          ...unless(refused === messages.length, `${what}: ${refused} of ${messages.length} bot events answered 503`),
        )
        notes.push(`${what}: ${accepted} webhooks to the journal, ${refused} bot events 503 with Retry-After`)
      }
      await passes(200)
      const [one, two] = cluster.nodes
      if (one === undefined || two === undefined) throw new Error('there are three brokers')
      await setMinimum(cluster, topics, 3)
      one.kill()
      await away('one broker too few')
      await one.restart()
      failures.push(...unless(await goesOn(), 'it does not go on after one broker was away'))
      await setMinimum(cluster, topics, 2)
      if (size === 'long') {
        await cluster.inSync(topics)
        one.kill()
        two.kill()
        await away('two brokers dead')
        await Promise.all([one.restart(), two.restart()])
        failures.push(...unless(await goesOn(), 'it does not go on after two brokers were dead'))
      }
      return { injected: size === 'long' ? 3 : 1, failures, notes }
    }),
}
