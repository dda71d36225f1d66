import * as E from 'fp-ts/lib/Either.js'
import { botReplies, eventTopics, type TopicName } from '../../../contracts/topics.ts'
import { reasonOf } from '../errors.ts'
import type { TopicReport } from '../topic-settings.ts'
import type { TopicReports } from '../topics.ts'
import type { Spread } from './spread.ts'
import type { Spreads } from './spreads.ts'

const said = (topic: TopicName, { over, mixed }: Spread, partitions: number): ReadonlyArray<string> => {
  if (topic === botReplies.name)
    return partitions < over ? [`fewer partitions than the ${over} of bot-conversations: commands are not fenced`] : []
  if (mixed) return ['partitions were added while keys were in it: older chats have lost their order']
  return over < partitions ? [`keys stay on the first ${over} partitions, those added later are not used`] : []
}

/** The reports with what is known of where keys go; Left where that cannot be found out. */
export const withSpreads = async (
  asked: TopicReports,
  spreads: Pick<Spreads, 'ready' | 'known'>,
  prefix: string,
): TopicReports => {
  const reports = await asked
  if (E.isLeft(reports)) return reports
  const there = reports.right.filter(({ partitions }) => partitions > 0)
  const nameOf = ({ name }: TopicReport) => name.slice(prefix.length) as TopicName
  const present = new Set(there.map(nameOf))
  try {
    await spreads.ready(eventTopics.map(({ name }) => name).filter((name) => present.has(name)))
  } catch (error) {
    return E.left({ kind: 'transient', reason: reasonOf(error) })
  }
  return E.right(
    reports.right.map((report) => {
      const spread = present.has(nameOf(report)) ? spreads.known(nameOf(report)) : undefined
      const more = spread === undefined ? [] : said(nameOf(report), spread, report.partitions)
      return { ...report, differences: [...report.differences, ...more] }
    }),
  )
}
