import { eventTopics, type Topic, topics } from '../../../contracts/topics.ts'
import { committingGroups, enrichedKeysGroup } from '../domain/consumer-groups.ts'
import type { AskOf, Cluster } from './admin.ts'
import { kindOf } from './errors.ts'
import { persistently } from './offsets.ts'
import { topicMetadataOf } from './topics/ids.ts'

/** The numbers of Kafka's protocol. */
const operations = { Read: 3, Write: 4, Delete: 6, DescribeConfigs: 10 } as const
type Operation = keyof typeof operations

/** What the bridge's user may not do. The names are those of Kafka's ACLs. */
export type MissingRights = {
  readonly of: 'topic' | 'group'
  /** The full name. */
  readonly name: string
  readonly operations: ReadonlyArray<Operation>
}

const topicDenied = 29
const notKnown = -(2 ** 31)

const neededOn = (topic: Topic): ReadonlyArray<Operation> => [
  'Read',
  'Write',
  'DescribeConfigs',
  // The archiver deletes old records of the topics of events.
  ...(eventTopics.some(({ name }) => name === topic.name) ? (['Delete'] as const) : []),
]

/** Of the topics that exist, or may not be described. The bridge itself creates the others. */
const onTopics = async (cluster: Cluster, prefix: string): Promise<ReadonlyArray<MissingRights>> => {
  const needed = new Map(topics.map((topic) => [`${prefix}${topic.name}`, neededOn(topic)]))
  const found = await topicMetadataOf(await cluster.findControllerBroker(), [...needed.keys()], true)
  return (found ?? []).flatMap(({ name, error, operations: allowed }) => {
    const isKnown = error === 0 && allowed !== notKnown
    const missing = (needed.get(name) ?? []).filter(
      (each) => error === topicDenied || (isKnown && ((allowed >> operations[each]) & 1) === 0),
    )
    return missing.length === 0 ? [] : [{ of: 'topic' as const, name, operations: missing }]
  })
}

const groupDenied = 'GROUP_AUTHORIZATION_FAILED'
const coordinatorOfGroups = 0
const nobody = { groupGenerationId: -1, memberId: 'nobody' }
/** The first group of a cluster has no coordinator for a moment. */
const soon = new Set(['GROUP_COORDINATOR_NOT_AVAILABLE', 'GROUP_LOAD_IN_PROGRESS', 'NOT_COORDINATOR_FOR_GROUP'])

/** Sends the heartbeat of no member: a broker that allows Read answers that it does not know this member. */
const mayRead = async (cluster: Cluster, groupId: string): Promise<boolean> => {
  const ask = async () => {
    const any = await cluster.findControllerBroker()
    const { coordinator } = await any.findGroupCoordinator({ groupId, coordinatorType: coordinatorOfGroups })
    const broker = await cluster.findBroker(coordinator)
    await broker.heartbeat({ groupId, ...nobody })
  }
  return persistently(ask, (error) => soon.has(kindOf(error))).then(
    () => true,
    (error: unknown) => kindOf(error) !== groupDenied,
  )
}

/** Asks which rights on its topics and groups the bridge's user lacks. Changes nothing. */
export const missingRightsOf =
  (ask: AskOf<Cluster>, prefix: string, groupPrefix: string) => (): Promise<ReadonlyArray<MissingRights>> =>
    ask(async (cluster) => {
      await cluster.refreshMetadataIfNecessary()
      const missing = [...(await onTopics(cluster, prefix))]
      for (const group of [...committingGroups, enrichedKeysGroup]) {
        const name = `${groupPrefix}${group}`
        if (!(await mayRead(cluster, name))) missing.push({ of: 'group', name, operations: ['Read'] })
      }
      return missing
    })
