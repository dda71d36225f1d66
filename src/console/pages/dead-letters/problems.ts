import { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { DomainEvent } from '../../../../contracts/events/index.ts'
import type { Problem } from '../../../../contracts/problem.ts'
import { topicOfName } from '../../../../contracts/topics.ts'
import { type Marks, marksOf } from '../../../bridge/domain/person/personal-data.ts'

const namesIn = (marks: Marks): ReadonlyArray<string> => {
  if (typeof marks === 'string') return []
  if ('items' in marks) return namesIn(marks.items)
  if ('values' in marks) return namesIn(marks.values)
  return [...marks.fields].flatMap(([name, field]) => [name, ...namesIn(field.marks)])
}

/** Every field name of commands and events. Only these are shown: other names come from the sender. */
const knownNames: ReadonlySet<string> = new Set(
  [...BotReply.types, ...DomainEvent.types].flatMap((codec) => namesIn(marksOf(codec))),
)

/** A field of a request has its name on the wire, such as `chat_id`. */
const isKnown = (name: string) =>
  knownNames.has(name) || knownNames.has(name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))

/** The index of an item follows the name of its list. Other digits may be a part of a phone number. */
const isIndex = (part: string, i: number, parts: ReadonlyArray<string>) =>
  /^(0|[1-9]\d{0,2})$/.test(part) && isKnown(parts[i - 1] ?? '')

/** What was wrong with a record, without anything that its sender wrote. */
export const problemsText = (problems: ReadonlyArray<Problem>): string =>
  problems
    .map(({ path, expected }) => {
      const parts = path.split('.').filter((part) => part !== '')
      if (!parts.every((part, i) => isKnown(part) || isIndex(part, i, parts)))
        return 'a field that the contract does not know'
      return `${parts.length === 0 ? '' : `${parts.join('.')}: `}expected ${expected}`
    })
    .filter((words, i, all) => all.indexOf(words) === i)
    .slice(0, 5)
    .join('; ')

/** The chat of a letter, by the record's key. Undefined if the topic has no chats, or for keys of other producers. */
export const chatOf = (topic: string, key: string): string | undefined => {
  const [, chat] = /^[^/]+\/(\d{1,20}|[\w-]{1,64})$/.exec(key) ?? []
  return topicOfName(topic)?.key === 'chat' ? chat : undefined
}
