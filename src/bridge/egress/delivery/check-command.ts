import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { AccountId, Id, shape } from '../../../../contracts/primitives.ts'
import { WireId } from '../../../../contracts/wire.ts'
import { markdown } from '../../adapters/markdown.ts'
import type { Account, BotAccount } from '../../domain/accounts.ts'
import { mistakesInCommand } from '../../domain/check-reply.ts'
import { asksForAgent } from '../../domain/conversation-facts.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import { isObject } from '../../shared/json.ts'
import type { Deferred } from './account-backlog.ts'
import type { Refusal } from './refusal.ts'

/** An account that has a bot. */
export type BotOwner = Account & { readonly bot: BotAccount }
/** A command that may be sent, and its account. */
export type Checked = { readonly command: BotReply; readonly account: BotOwner }

/** The account, if it has a bot. */
export const ownerOf = (account: Account | undefined): BotOwner | undefined =>
  account?.bot === undefined ? undefined : { ...account, bot: account.bot }

const refuse = (cause: Refusal['cause'], detail: string) => E.left({ cause, detail })

/**
 * Checks what the codec cannot: the key, on which order and ownership depend, the account, unknown keys, and the words
 * and Markdown of a message. Left names what is wrong, never the content.
 */
export const checkCommand = (
  command: BotReply,
  key: string,
  accounts: ReadonlyMap<string, Account>,
): E.Either<Refusal, Checked> => {
  if (key !== `${command.accountId}/${command.chatId}`)
    return refuse('wrong-key', 'key: expected <accountId>/<chatId> of the command')
  const account = ownerOf(accounts.get(command.accountId))
  if (account === undefined) return refuse('unknown-account', 'accountId: expected an account with a bot')
  const mistakes = mistakesInCommand(markdown, command, account.bot.markdown ?? 'plain')
  return mistakes.length > 0 ? refuse('invalid', mistakes.join('; ')) : E.right({ command, account })
}

const Addressed = shape(
  { id: Id, accountId: AccountId, chatId: WireId, clientId: WireId },
  { type: t.unknown, inReplyTo: t.unknown, group: t.unknown },
  'Addressed',
)
export type Addressed = t.TypeOf<typeof Addressed>

const jsonOf = (value: Buffer | null): unknown =>
  pipe(
    E.tryCatch((): unknown => JSON.parse(String(value)), E.toError),
    E.getOrElseW(() => undefined),
  )

/** Whether a record asks for an agent, however wrong it is otherwise. */
export const asksForAgentIn = (value: Buffer | null): boolean => {
  const command = jsonOf(value)
  return isObject(command) && 'type' in command && asksForAgent(command.type)
}

/** The chat that a record's key names. */
const chatNamedBy = (key: string): Pick<Addressed, 'accountId' | 'chatId'> | undefined => {
  const [, accountId, chatId] = /^([^/]+)\/(.+)$/s.exec(key) ?? []
  return AccountId.is(accountId) && Id.is(chatId) ? { accountId, chatId } : undefined
}

/** Finds the client of a chat, if the service has named it. */
type ClientOf = (partition: number, chat: Pick<Addressed, 'accountId' | 'chatId'>) => Promise<Id | undefined>

/** The ids of a command that is otherwise invalid, so that its author can get an event. */
export const readable = (value: Buffer | null): Addressed | undefined =>
  pipe(
    Addressed.decode(jsonOf(value)),
    E.getOrElseW(() => undefined),
  )

/**
 * The same for a hand-over that lacks an id, since its client must not be left in silence: the record's key names the
 * chat, and the chat its client. Without an id of its own it gets one from its place in the log.
 */
export const handOverTo = async (
  { partition, offset, key, value }: IncomingRecord,
  clientOf: ClientOf,
): Promise<Addressed | undefined> => {
  const command = jsonOf(value)
  if (!isObject(command) || !('type' in command) || !asksForAgent(command.type)) return undefined
  const chat = chatNamedBy(String(key ?? ''))
  if (chat === undefined) return undefined
  const clientId = await clientOf(partition, chat)
  if (clientId === undefined) return undefined
  const ownId = 'id' in command && Id.is(command.id) ? command.id : undefined
  return {
    id: ownId ?? (`unnamed-${partition}-${offset}` as Id),
    ...chat,
    clientId,
    type: command.type,
    inReplyTo: 'inReplyTo' in command ? command.inReplyTo : undefined,
    group: 'group' in command ? command.group : undefined,
  }
}

/** What is known of a command that was deleted before it was sent, so that its client is not left in silence. */
export const goneCommand = async (
  partition: number,
  { chat: key, offset, isHandOver }: Deferred,
  clientOf: ClientOf,
): Promise<Addressed | undefined> => {
  const chat = chatNamedBy(key)
  if (chat === undefined) return undefined
  const clientId = await clientOf(partition, chat)
  if (clientId === undefined) return undefined
  const type = isHandOver ? 'InviteAgent' : undefined
  return { id: `unnamed-${partition}-${offset}` as Id, ...chat, clientId, type, inReplyTo: undefined }
}
