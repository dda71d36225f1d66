import { createHash } from 'node:crypto'
import type { BotReplyDelivered } from '../../../contracts/events/index.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { isJsonObject } from '../shared/json.ts'
import { asPart } from './identity.ts'

type Command = BotReplyDelivered['data']

/** The content of a command, from an event or a document. */
type Asked = Partial<Pick<Command, 'clientId' | 'inReplyTo' | 'expectsMore'>> & {
  readonly commandType: string
  readonly message?: Command['message'] | Dated<Command['message']>
}

/** What names a command within its chat. A BotMessage and an InviteAgent with the same id are two commands. */
export type CommandName = { readonly commandId: string; readonly commandType: string }

/** A message whose own id ends like that of an invitation must not be taken for one. */
const ownEnding = (commandId: string) =>
  commandId.replace(/(?::|%((?:25)*)3A)invite$/, (ending, escapes?: string) =>
    ending.startsWith(':') ? '%3Ainvite' : `%25${escapes}3Ainvite`,
  )

const nameInChat = ({ commandId, commandType }: CommandName) =>
  commandType === 'InviteAgent' ? `${commandId}:invite` : ownEnding(commandId)

/** True if both name the same command of their chat. */
export const isSameCommand = (one: CommandName, other: CommandName): boolean => nameInChat(one) === nameInChat(other)

/**
 * The `_id` of a command's document in `deliveries`: `acme/2037/r1`, or `acme/2037/r1:invite` for an InviteAgent. A
 * command's id is unique within its chat among the commands of its type.
 */
export const deliveryId = (command: Pick<Command, 'accountId' | 'chatId'> & CommandName) =>
  `${command.accountId}/${asPart(command.chatId)}/${nameInChat(command)}`

/** The same text for equal values: keys are sorted, and texts are as MongoDB stores them. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return part.toWellFormed()
    return isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part
  })

/**
 * A digest of a command's content, from its outcome or its document. Two commands with the same id and different
 * digests are different commands. The timestamp does not count, because a bot that repeats a reply may set a new time.
 * Undefined if an outcome was too large for the log and lost its message.
 */
export const contentDigest = ({
  commandType,
  clientId,
  inReplyTo,
  message,
  expectsMore,
}: Asked): string | undefined => {
  if (commandType === 'BotMessage' && message === undefined) return undefined
  const asked = message && { ...message, timestamp: undefined }
  return createHash('sha256')
    .update(canonical([commandType, clientId, inReplyTo, asked, ...(expectsMore ? ['expectsMore'] : [])]))
    .digest('base64')
}
