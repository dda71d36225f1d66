import type * as t from 'io-ts'
import { BotMessage, type BotReply, InviteAgent, ReplyMessage } from '../../contracts/commands/bot-reply.ts'
import { unsupportedMarkdown } from './message-text.ts'

type Shape = t.IntersectionType<[t.InterfaceType<t.Props>, t.PartialType<t.Props>]>

const namesOf = ({ types: [required, optional] }: Shape): ReadonlySet<string> =>
  new Set([...Object.keys(required.props), ...Object.keys(optional.props)])

const ofCommands = {
  BotMessage: namesOf(BotMessage as unknown as Shape),
  InviteAgent: namesOf(InviteAgent as unknown as Shape),
}
/** A message of an event can be sent unchanged, so it may name the button that was clicked. */
const ofMessages: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ReplyMessage.types.map((type) => [type.name, new Set([...namesOf(type as unknown as Shape), 'buttonId'])]),
)
const ofButtons: ReadonlySet<string> = new Set(['id', 'text'])
const longestName = 64

const unknownKeys = (known: ReadonlySet<string>, what: string, value: object, path = ''): ReadonlyArray<string> =>
  Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => `${path}${key.slice(0, longestName)}: expected no such key in ${what}`)

/** A chat shows a message of some thousand characters. What is longer than this is a mistake, such as a whole file. */
const mostCharacters = 65_536

const tooLong = (path: string, words: string | null | undefined): ReadonlyArray<string> =>
  (words?.length ?? 0) > mostCharacters ? [`${path}: expected at most ${mostCharacters} characters`] : []

/** Why this is no text for a person: it is blank, or much too long. */
export const mistakesInWords = (path: string, words: string): ReadonlyArray<string> =>
  words.trim() === '' ? [`${path}: expected words, found none`] : tooLong(path, words)

const ofMessage = (message: ReplyMessage): ReadonlyArray<string> => {
  switch (message.type) {
    case 'TEXT':
      return mistakesInWords('message.text', message.text)
    case 'MARKDOWN': {
      const unsupported = unsupportedMarkdown(message.content)
      const markdown =
        unsupported.length === 0
          ? []
          : [`message.content: expected links, bold and italic only, found ${unsupported.join(', ')}`]
      return [
        ...mistakesInWords('message.content', message.content),
        ...tooLong('message.text', message.text),
        ...markdown,
      ]
    }
    case 'BUTTONS':
      return [
        ...mistakesInWords('message.title', message.title),
        ...tooLong('message.text', message.text),
        ...message.buttons.flatMap((button, i) => [
          ...mistakesInWords(`message.buttons.${i}.text`, button.text),
          ...unknownKeys(ofButtons, 'a button', button, `message.buttons.${i}.`),
        ]),
      ]
  }
}

/**
 * What is wrong with a command although its codec accepts it: a key that is not known and would be lost, no words, far
 * too many, or Markdown that the protocol lacks. It never quotes the command.
 */
export const mistakesInCommand = (command: BotReply): ReadonlyArray<string> => {
  const unknown = unknownKeys(ofCommands[command.type], command.type, command)
  if (command.type === 'InviteAgent') return [...unknown, ...tooLong('reason', command.reason)]
  const { message } = command
  return [
    ...unknown,
    ...unknownKeys(ofMessages.get(message.type) ?? new Set(), message.type, message, 'message.'),
    ...ofMessage(message),
  ]
}
