import * as E from 'fp-ts/lib/Either.js'
import { botConversations, botReplies, eventTopicNames, type TopicName } from '../../../../contracts/topics.ts'
import { kafkaReasonOf } from '../errors.ts'
import type { TopicReports } from '../topics/reconcile.ts'
import type { TopicReport } from '../topics/settings.ts'
import type { Partitioner } from './partitioner.ts'

const ordered = new Set<TopicName>(eventTopicNames)

const differencesOf = (topic: TopicName, partitions: number, { known }: Pick<Partitioner, 'known'>) => {
  const distribution = known(topic)
  const conversations = known(botConversations.name)?.keyPartitions ?? 0
  if (topic === botReplies.name)
    return partitions < conversations
      ? [`fewer partitions than the ${conversations} of bot-conversations: commands are not fenced`]
      : []
  if (distribution === undefined || !ordered.has(topic)) return []
  if (distribution.mixed) return ['partitions were added and keys have moved: the record order of older chats is lost']
  return distribution.keyPartitions < partitions
    ? [`keys use the first ${distribution.keyPartitions} partitions only; partitions added later stay empty`]
    : []
}

/** Adds differences of the key distribution to the reports. Left if the distribution cannot be detected. */
export const withKeyDistribution = async (
  asked: TopicReports,
  partitioner: Pick<Partitioner, 'ready' | 'known' | 'forget'>,
  prefix: string,
): TopicReports => {
  const reports = await asked
  if (E.isLeft(reports)) return reports
  const nameOf = ({ name }: TopicReport) => name.slice(prefix.length) as TopicName
  const present = reports.right.filter(({ partitions }) => partitions > 0)
  for (const report of present)
    if (partitioner.known(nameOf(report))?.partitions !== report.partitions) partitioner.forget(nameOf(report))
  try {
    await partitioner.ready(present.map(nameOf).filter((topic) => ordered.has(topic)))
  } catch (error) {
    return E.left({ kind: 'transient', reason: kafkaReasonOf(error) })
  }
  return E.right(
    reports.right.map((report) =>
      report.partitions === 0
        ? report
        : {
            ...report,
            differences: [...report.differences, ...differencesOf(nameOf(report), report.partitions, partitioner)],
          },
    ),
  )
}
