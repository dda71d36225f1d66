import { botReplies, enrichments, eventTopicNames, type TopicName } from '../../contracts/topics.ts'
import { type CommittingGroup, committingGroups } from '../bridge/domain/consumer-groups.ts'
import { topicsOfViews, viewNames } from '../bridge/views/index.ts'

const topicsOfGroup: Readonly<Record<CommittingGroup, ReadonlyArray<TopicName>>> = {
  projector: topicsOfViews(viewNames),
  enrichments: [enrichments.name],
  egress: [botReplies.name],
  archiver: eventTopicNames,
}

/** The consumer groups of all roles, with the topics on which each commits offsets. */
export const consumerGroups = committingGroups.map((group) => ({ group, topics: topicsOfGroup[group] }))
