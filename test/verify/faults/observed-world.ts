import { botReplies, eventTopics, quarantine } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import type { ServiceAccount } from '../../../src/tools/simulator/account.ts'
import type { ReceivedRequest } from '../../../src/tools/simulator/state.ts'
import { described } from '../../contracts/truth/records.ts'
import { misfit } from '../../contracts/truth/schemas.ts'
import type { BridgeProcess } from '../../support/bridge-process.ts'
import { eventually } from '../../support/eventually.ts'
import { type Place, type WorldServers, world } from '../../support/world.ts'
import { check } from './checker.ts'
import type { Defence } from './defences.ts'
import { projectorOf } from './projector.ts'
import { readLog, toLogRecord } from './read-log.ts'
import { recorder } from './recorder.ts'
import type { ShownReply } from './reply-checker.ts'
import { seqOf } from './traffic.ts'
import { foldOf, readViews } from './views.ts'

const events = eventTopics.map(({ name }) => name)
const serviceWaitsMs = 3_000

const shownBy = ({ at, event, applied }: ReceivedRequest): ReadonlyArray<ShownReply> =>
  applied && event?.event === 'BOT_MESSAGE' ? [{ chat: event.chat_id, id: event.id, text: event.message.text, at }] : []

/** What in a record, if the recorder has caused it, does not match the published schemas. */
const undescribed = (record: IncomingRecord): ReadonlyArray<string> =>
  seqOf(record.value) === undefined
    ? []
    : described(record).values.flatMap(({ schema, value }) => {
        const problem = misfit(schema, value)
        return problem === undefined ? [] : [`${record.topic} ${record.key}: ${schema}: ${problem}`]
      })

/** Servers that can run functions once a scenario has ended. */
type Cluster = WorldServers & { readonly afterwards: (leave: () => Promise<void>) => unknown }

/** A world on a cluster, with everything that is visible from outside; `settings` are those of the accounts' bots. */
export const observedWorld = async (
  cluster: Cluster,
  without?: Defence,
  settings: NonNullable<Parameters<typeof world>[0]>['bot'] = {},
  others: ReadonlyArray<ServiceAccount> = [],
) => {
  const here = await world({ servers: cluster, without, bot: settings, others, serviceWaitsMs })
  const { brokers, prefix, mongo, service } = here
  const recorders: Array<ReturnType<typeof recorder>> = []
  const stop = async () => {
    for (const made of recorders) made.stop()
    await here.stop()
  }
  cluster.afterwards(stop)
  const log = () => readLog(brokers, prefix, events)

  return {
    ...here,
    ...projectorOf(brokers, prefix),
    recorder: (places: ReadonlyArray<Place>) => {
      const addresses = { webhooks: places.map(({ webhooks }) => webhooks), bot: places.map(({ bot: url }) => url) }
      const made = recorder(addresses)
      recorders.push(made)
      return made
    },
    log,
    dead: () => readLog(brokers, prefix, ['dead-letters']),
    verdict: async (history: Parameters<typeof check>[0]) => {
      const records = await log()
      return { ...check(history, records.map(toLogRecord)), undescribed: records.flatMap(undescribed) }
    },
    fold: async () => foldOf(await readLog(brokers, prefix, [...events, botReplies.name, quarantine.name])),
    documents: () => readViews(mongo.url),
    /** What the service showed to clients, in the order of its arrival. */
    shown: () => service.requests().flatMap(shownBy),
    /** The requests of each command, in the order of their arrival. */
    requestsById: () =>
      Map.groupBy(
        service.requests().filter(({ event }) => event !== undefined),
        ({ event }) => event?.id ?? '',
      ),
    ready: (bridge: BridgeProcess) =>
      eventually('readiness', async () => (await bridge.isReady()) || undefined, 90_000),
    /** Waits until the journal and all adopted journals are empty; false if that takes too long. */
    drained: (bridge: BridgeProcess, withinMs = 60_000) =>
      eventually(
        'the journal to be drained',
        async () => {
          const own = await bridge.metric('livechat_journal_records')
          return (own === 0 && (await bridge.metric('livechat_journal_orphan_records')) === 0) || undefined
        },
        withinMs,
      ).then(
        () => true,
        () => false,
      ),
    stop,
  }
}
export type ObservedWorld = Awaited<ReturnType<typeof observedWorld>>
