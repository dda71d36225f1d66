import { BotReply } from '../../contracts/commands/bot-reply.ts'
import { DomainEvent } from '../../contracts/events/index.ts'
import { versionNames } from '../../contracts/events/upcast.ts'
import {
  botReplies,
  deadLetters,
  enrichments,
  quarantine,
  type Topic,
  topicOf,
  topics,
} from '../../contracts/topics.ts'
import { typeOf } from './catalogue.ts'

/** A topic as it is published: `keptMs` null is for ever; the schemas of its values, or of the headers where values are raw. */
export type PublishedTopic = {
  readonly key: string
  readonly compacted: boolean
  readonly keptMs: number | null
  readonly schemas: ReadonlyArray<string>
}

const schemasOf = ({ name }: Topic): ReadonlyArray<string> => {
  if (name === botReplies.name) return BotReply.types.map((command) => command.name)
  if (name === enrichments.name) return ['Enrichment']
  if (name === quarantine.name) return ['QuarantineHeaders']
  if (name === deadLetters.name) return ['DeadLetterHeaders']
  return DomainEvent.types
    .map(typeOf)
    .filter((type) => topicOf({ type }).name === name)
    .flatMap((type) => versionNames(type))
}

/** Every topic by its name after the prefix: what AsyncAPI says of it, for programs that read JSON only. */
export const publishedTopics = (): Readonly<Record<string, PublishedTopic>> =>
  Object.fromEntries(
    topics.map((topic: Topic) => {
      const { key, cleanUp } = topic
      const keptMs = typeof cleanUp === 'object' ? cleanUp.deleteAfterMs : null
      return [topic.name, { key, compacted: cleanUp === 'compact', keptMs, schemas: schemasOf(topic) }]
    }),
  )
