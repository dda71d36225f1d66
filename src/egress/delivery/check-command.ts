import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import { AccountId, Id, shape } from '../../../contracts/primitives.ts'
import { WireId } from '../../../contracts/wire.ts'
import type { Account, BotAccount } from '../../domain/accounts.ts'
import { unsupportedMarkdown } from '../../domain/message-text.ts'
import type { Undecodable } from '../ports.ts'

/** An account that has a bot. */
export type BotOwner = Account & { readonly bot: BotAccount }
/** A command that may be sent, and its account. */
export type Checked = { readonly command: BotReply; readonly account: BotOwner }

/** The account, if it has a bot. */
export const ownerOf = (account: Account | undefined): BotOwner | undefined =>
  account?.bot === undefined ? undefined : { ...account, bot: account.bot }

const refuse = (cause: string, detail: string) => E.left({ cause, detail })

/**
 * Checks what the codec cannot: the key, on which order and ownership depend, the account, and the Markdown (protocol,
 * Limits). Left names what is wrong, never the content.
 */
export const checkCommand = (
  command: BotReply,
  key: string,
  accounts: ReadonlyMap<string, Account>,
): E.Either<Undecodable, Checked> => {
  if (key !== `${command.accountId}/${command.chatId}`)
    return refuse('wrong-key', 'key: expected <accountId>/<chatId> of the command')
  const account = ownerOf(accounts.get(command.accountId))
  if (account === undefined) return refuse('unknown-account', 'accountId: expected an account with a bot')
  const unsupported =
    command.type === 'BotMessage' && command.message.type === 'MARKDOWN'
      ? unsupportedMarkdown(command.message.content)
      : []
  return unsupported.length > 0
    ? refuse('invalid', `message.content: expected links, bold and italic only, found ${unsupported.join(', ')}`)
    : E.right({ command, account })
}

const Addressed = shape(
  { id: Id, accountId: AccountId, chatId: WireId, clientId: WireId },
  { type: t.unknown, inReplyTo: t.unknown },
  'Addressed',
)
export type Addressed = t.TypeOf<typeof Addressed>

/** The ids of a command that is otherwise invalid, so that its author can get an event. */
export const readable = (value: Buffer | null): Addressed | undefined =>
  pipe(
    E.tryCatch((): unknown => JSON.parse(String(value)), E.toError),
    E.chainW(Addressed.decode),
    E.getOrElseW(() => undefined),
  )
