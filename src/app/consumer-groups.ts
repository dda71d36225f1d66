import { botReplies, enrichments, eventTopics, type TopicName } from '../../contracts/topics.ts'
import { archiverGroup } from '../archive/archiver.ts'
import { viewsGroup } from '../domain/consumer-groups.ts'
import { topicsOf, viewNames } from '../views/index.ts'

/** The consumer group that stores the enrichments. */
export const enrichmentsGroup = 'enrichments'

/** The consumer groups of all roles, with the topics on which each commits offsets. */
export const consumerGroups: ReadonlyArray<{ readonly group: string; readonly topics: ReadonlyArray<TopicName> }> = [
  { group: viewsGroup, topics: topicsOf(viewNames) },
  { group: enrichmentsGroup, topics: [enrichments.name] },
  { group: 'egress', topics: [botReplies.name] },
  { group: archiverGroup, topics: eventTopics.map(({ name }) => name) },
]
