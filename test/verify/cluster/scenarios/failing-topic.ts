import kafkajs from 'kafkajs'
import { eventually } from '../../../support/eventually.ts'
import { withAdmin } from '../../../support/plain-consumer.ts'
import { unless } from '../../faults/findings.ts'
import type { Scenario } from '../../faults/scenario.ts'
import type { Three } from '../three.ts'
import { underLoad } from '../under-load.ts'

const setMinimum = ({ brokers }: Three, name: string, replicas: number) =>
  withAdmin(brokers, (admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name,
          configEntries: [{ name: 'min.insync.replicas', value: String(replicas) }],
        },
      ],
    }),
  )
/** Whether another broker leads each partition of the topic. */
const isWithout = ({ brokers }: Three, topic: string, broker: number) =>
  withAdmin(brokers, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    const leaders = topics.flatMap(({ partitions }) => partitions.map(({ leader }) => leader))
    return leaders.length > 0 && leaders.every((leader) => leader >= 0 && leader !== broker)
  }).catch(() => false)
const isBot = ({ chat }: { readonly chat: string }) => chat.startsWith('bot-')
// Much longer than a change of leader takes.
const withinMs = 60_000

/** One topic has too few replicas, with one broker down. The other topic has enough and must not be affected. */
export const failingTopic: Scenario<Three> = {
  name: 'failing-topic',
  promises: '1, 2, 3, 18',
  fault: 'one topic below min.insync.replicas, its broker SIGKILL; the other topics have enough replicas',
  controls: ['a failing partition waits alone'],
  inShort: false,
  shortControls: [],
  run: (cluster, size, without) =>
    underLoad(cluster, without, async ({ topics: [chats = '', bots = ''], passes, goesOn, posts }) => {
      const [one] = cluster.nodes
      if (one === undefined) throw new Error('there are three brokers')
      await passes(200)
      await setMinimum(cluster, chats, 3)
      one.kill()
      await eventually('other leaders', () => isWithout(cluster, bots, one.id), withinMs)
      const since = posts.history.length
      const recovered = await eventually(
        'bot events to be taken',
        () => {
          const last = posts.history.slice(since).filter(isBot).slice(-50)
          return last.length === 50 && last.every(({ status }) => status === 200)
        },
        withinMs,
      ).catch(() => false)
      const from = posts.history.length
      await passes(size === 'long' ? 2_000 : 500)
      const meanwhile = posts.history.slice(from)
      const bot = meanwhile.filter(isBot)
      const taken = bot.filter(({ status }) => status === 200).length
      const refused = meanwhile.filter((each) => !isBot(each) && each.status !== 200).length
      await setMinimum(cluster, chats, 2)
      const went = await goesOn()
      await one.restart()
      return {
        injected: 1,
        mostCopies: 3,
        failures: [
          ...unless(recovered !== false, 'bot events are not taken while chats fails'),
          ...unless(taken === bot.length, `${bot.length - taken} of ${bot.length} bot events refused`),
          ...unless(refused === 0, `${refused} webhooks refused`),
          ...unless(went, 'it does not go on'),
        ],
        notes: [`${taken} of ${bot.length} bot events in Kafka while webhooks go to the journal`],
      }
    }),
}
