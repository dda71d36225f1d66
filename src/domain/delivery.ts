import { createHash } from 'node:crypto'
import type { BotReplyDelivered } from '../../contracts/events/index.ts'
import type { Dated } from '../../contracts/views/dated.ts'
import { isObject } from '../shared/json.ts'

type Command = BotReplyDelivered['data']

/** So that the slash behind it is the next one: the service's ids are decimal and stay as they are, but any text is accepted. */
const withoutSlashes = (chatId: string) => chatId.replaceAll('%', '%25').replaceAll('/', '%2F')

/** What a command asks for, as an event or a document has it. */
type Asked = Pick<Command, 'clientId' | 'inReplyTo'> & {
  readonly commandType: string
  readonly message?: Command['message'] | Dated<Command['message']>
}

/** The `_id` of a command's document in `deliveries`: `acme/2037/r1`. A command's id is unique within its chat. */
export const deliveryId = ({ accountId, chatId, commandId }: Pick<Command, 'accountId' | 'chatId' | 'commandId'>) =>
  `${accountId}/${withoutSlashes(chatId)}/${commandId}`

/** The same text for the same value: sorted keys, and characters as MongoDB keeps them. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return part.toWellFormed()
    return isObject(part) && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part
  })

/**
 * A digest of what a command asks for, from its outcome or its document: two commands with the same id and another digest
 * are different commands. Its timestamp does not count: a bot that repeats a reply may take the time anew. Undefined where an
 * outcome was too large for the log and has lost its message.
 */
export const contentDigest = ({ commandType, clientId, inReplyTo, message }: Asked): string | undefined => {
  if (commandType === 'BotMessage' && message === undefined) return undefined
  const asked = message && { ...message, timestamp: undefined }
  return createHash('sha256')
    .update(canonical([commandType, clientId, inReplyTo, asked]))
    .digest('base64')
}
