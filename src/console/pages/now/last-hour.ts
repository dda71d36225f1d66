import { changeText } from '../../browser/figures.ts'
import { count, counted } from '../../browser/format.ts'
import { isUnusual } from './unusual.ts'

const amount = (events: number) => (events === 0 ? 'no event' : counted(events, 'event'))

/** Whether the last hour was as busy as the same hour a week ago, in words. `weekAgo` is null if that is not known. */
export const lastHourWords = (events: number, weekAgo: number | null): string => {
  const hour = `In the last hour ${amount(events)}`
  if (weekAgo === null) return `${hour}. No event of a week ago is stored, so there is nothing to compare with.`
  if (events === weekAgo) return `${hour}, as in the same hour a week ago.`
  if (weekAgo === 0) return `${hour}, but none in the same hour a week ago.`
  const isOther = isUnusual({ name: 'events', unit: 'count', now: events, before: weekAgo })
  const compared = isOther ? (events > weekAgo ? 'more than' : 'fewer than') : 'about as many as'
  return `${hour}, ${compared} in the same hour a week ago (${count(weekAgo)}, ${changeText(events, weekAgo, 'count')}).`
}
