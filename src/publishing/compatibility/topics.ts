import type { Break } from '../compatibility.ts'
import type { PublishedTopic } from '../topics-file.ts'

type Topics = ReadonlyMap<string, PublishedTopic>

const kept = ({ keptMs }: PublishedTopic) => (keptMs === null ? 'for ever' : `${keptMs} ms`)
const longest = ({ keptMs }: PublishedTopic) => keptMs ?? Number.POSITIVE_INFINITY

const changesOf = (before: PublishedTopic, after: PublishedTopic): ReadonlyArray<string> => [
  ...(before.key === after.key ? [] : [`key changed from ${before.key} to ${after.key}`]),
  ...(before.compacted === after.compacted ? [] : [after.compacted ? 'is compacted now' : 'is no longer compacted']),
  ...(longest(after) >= longest(before) ? [] : [`kept ${kept(after)} and no longer ${kept(before)}`]),
  ...before.schemas.filter((name) => !after.schemas.includes(name)).map((name) => `carries no ${name} any more`),
]

/**
 * What breaks whoever reads or writes a topic. Its key is the guarantee of order, its clean-up what a late reader still finds.
 * What it carries may become more: readers leave alone what they do not know.
 */
export const topicBreaks = (before: Topics, after: Topics): ReadonlyArray<Break> =>
  [...before].flatMap(([name, topic]) => {
    const now = after.get(name)
    const changes = now === undefined ? ['topic removed'] : changesOf(topic, now)
    return changes.map((change) => ({ schema: `topic ${name}`, path: '', change, breaks: 'whoever relies on it' }))
  })
