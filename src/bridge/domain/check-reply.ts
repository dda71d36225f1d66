import { BotMessage, type BotReply, InviteAgent } from '../../../contracts/commands/bot-reply.ts'
import { messageTypeOf, messageTypes, type ReplyMessage } from '../../../contracts/messages/index.ts'
import { fieldNamesOf } from '../../../contracts/primitives.ts'
import { describe } from '../../../contracts/problem.ts'
import { isObject } from '../shared/json.ts'
import { type Markdown, type MarkdownRule, refusedWords } from './message-text.ts'

const ofCommands: Readonly<Record<BotReply['type'], ReadonlySet<string>>> = {
  BotMessage: new Set(fieldNamesOf(BotMessage)),
  InviteAgent: new Set(fieldNamesOf(InviteAgent)),
}
/** A message of an event can be sent unchanged, so it may name the button that was clicked. */
const ofMessages: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  messageTypes.map(({ type, reply }) => [type, new Set([...fieldNamesOf(reply), 'buttonId'])]),
)
const longestName = 64

const unknownKeys = (known: ReadonlySet<string>, what: string, value: object, path = ''): ReadonlyArray<string> =>
  Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => describe([{ path: `${path}${key.slice(0, longestName)}`, expected: `no such key in ${what}` }]))

/** A chat shows a message of some thousand characters. What is longer than this is a mistake, such as a whole file. */
const maxCharacters = 65_536

const tooLong = (path: string, words: string | null | undefined): ReadonlyArray<string> =>
  (words?.length ?? 0) > maxCharacters ? [`${path}: expected at most ${maxCharacters} characters`] : []

/** Why this is no text for a person: it is blank, or much too long. */
export const mistakesInWords = (path: string, words: string): ReadonlyArray<string> =>
  words.trim() === '' ? [`${path}: expected words, found none`] : tooLong(path, words)

/** The items of a message's lists, such as its buttons. */
const ofLists = (message: ReplyMessage): ReadonlyArray<string> =>
  Object.entries(messageTypeOf(message).lists).flatMap(([name, codec]) => {
    const list: unknown = Reflect.get(message, name)
    const known = new Set(fieldNamesOf(codec))
    return (Array.isArray(list) ? list : [])
      .filter(isObject)
      .flatMap((item, i) => [
        ...('text' in item ? mistakesInWords(`message.${name}.${i}.text`, String(item.text)) : []),
        ...unknownKeys(known, `a ${codec.name.toLowerCase()}`, item, `message.${name}.${i}.`),
      ])
  })

const ofMessage = (markdown: Markdown, message: ReplyMessage, rule: MarkdownRule): ReadonlyArray<string> => {
  const { words, wordsOf } = messageTypeOf(message)
  return [
    ...mistakesInWords(`message.${words}`, wordsOf(message)),
    ...(words === 'text' ? [] : tooLong('message.text', message.text)),
    ...(rule === 'refuse' ? refusedWords(markdown, message) : []),
    ...ofLists(message),
  ]
}

/**
 * What is wrong with a command although its codec accepts it: a key that is not known and would be lost, no words, far
 * too many, or Markdown that the protocol lacks and the account wants refused. It never quotes the command.
 */
export const mistakesInCommand = (markdown: Markdown, command: BotReply, rule: MarkdownRule): ReadonlyArray<string> => {
  const unknown = unknownKeys(ofCommands[command.type], command.type, command)
  if (command.type === 'InviteAgent') return [...unknown, ...tooLong('reason', command.reason)]
  const { message } = command
  return [
    ...unknown,
    ...unknownKeys(ofMessages.get(message.type) ?? new Set(), message.type, message, 'message.'),
    ...ofMessage(markdown, message, rule),
  ]
}
