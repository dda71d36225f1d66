import { eventTypesOn, keys, type Topic, topics } from '../../../contracts/topics.ts'
import { dayMs } from '../../bridge/shared/time.ts'
import type { Table } from './table.ts'

const keptText = ({ content, cleanUp }: Topic): string => {
  if (content.kind === 'events') return '14 days (`RETENTION_DAYS`)'
  if (cleanUp === 'forever') return 'permanently'
  return cleanUp === 'compact' ? 'the newest of each key' : `${cleanUp.deleteAfterMs / dayMs} days`
}

const keyText = ({ key }: Topic): string =>
  keys[key].replaceAll(/<(\w+)(?: id)?>/g, '$1').replace('the original key', 'the original one')

const rowOf = (those: ReadonlyArray<Topic>): ReadonlyArray<string> => {
  const [first] = those
  if (first === undefined) return []
  const names = those.map(({ name }) => `\`${name}\``).join(', ')
  const content = first.content.kind === 'events' ? eventTypesOn(first).join(', ') : (first.about ?? '')
  return [names, first.content.kind === 'archived events' ? 'as there' : keyText(first), content, keptText(first)]
}

/** The table of the guide for downstream teams. The archives stand in one row. */
export const topicsTable = (): Table => {
  const groups = Map.groupBy<string, Topic>(topics, ({ name, content }) =>
    content.kind === 'archived events' ? content.kind : name,
  )
  return { head: ['topic', 'key', 'content', 'kept'], rows: [...groups.values()].map(rowOf) }
}
