import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import type { Instant } from '../../../../contracts/primitives.ts'
import { endSpan, processSpan, traceparentAfter, traceparentIn } from '../../adapters/tracing.ts'
import type { Account } from '../../domain/accounts.ts'
import { decideReply, takenReasonAt } from '../../domain/conversation.ts'
import { accountIdIn } from '../../domain/identity.ts'
import { type IncomingRecord, recordTime } from '../../domain/log/record.ts'
import { faultOf } from '../../shared/fault.ts'
import type {
  FindFinished,
  FinishedBefore,
  KnownConversation,
  ReadConversation,
} from '../conversation/known-conversation.ts'
import type { EgressPorts } from '../ports.ts'
import { retryUntilAborted } from '../retry-until-aborted.ts'
import type { Deferred } from './account-backlog.ts'
import { type Addressed, checkCommand, goneCommand, handOverTo, readable } from './check-command.ts'
import { type Announce, digestOf, type Handled, refusedEvent } from './outcome.ts'
import type { Refusal } from './refusal.ts'
import type { Ownership, SendCommand } from './send-command.ts'

/** Each function reports to the command's author that it was not sent. */
export type Refuse = {
  /** Keeps a record that cannot be handled as a dead letter. */
  readonly asDeadLetter: (record: IncomingRecord, why: Refusal) => Promise<Handled>
  /** Another command of the chat was finished under this id. That command's outcome stays. */
  readonly duplicate: (record: IncomingRecord, command: Addressed) => Promise<Handled>
  /** The command was deleted from the log before it could be sent. */
  readonly gone: (partition: number, command: Deferred) => Promise<Handled>
}

const deleted: Refusal = {
  cause: 'gone',
  detail: 'the command was deleted from bot-replies before it could be sent',
}
const sameId: Refusal = { cause: 'duplicate', detail: 'id: expected one that no other command of the chat has' }

const anotherClient: Refusal = { cause: 'invalid', detail: 'clientId: expected the client of the chat' }

export const refuser = ({
  ports,
  stopping,
  announce,
  readConversation,
}: {
  readonly ports: Pick<EgressPorts, 'deadLetter' | 'measure' | 'log' | 'now' | 'sleep' | 'random'>
  readonly stopping: AbortSignal
  readonly announce: Announce
  readonly readConversation: ReadConversation
}): Refuse => {
  const report = (command: Addressed, record: IncomingRecord, why: Refusal) =>
    announce([refusedEvent(command, record, why, recordTime(record), ports.now())])
  const duplicate: Refuse['duplicate'] = (record, command) => {
    const { partition, offset } = record
    ports.log.warn({ partition, offset, accountId: command.accountId, ...sameId }, 'egress: a command was refused')
    ports.measure.duplicateCommand(command.accountId, 'other')
    return report(command, record, sameId)
  }
  const clientOf = async (partition: number, chat: Pick<Addressed, 'accountId' | 'chatId'>) =>
    (await readConversation(partition, chat)()).conversation.clientId
  return {
    duplicate,
    gone: async (partition, deferred) => {
      const { offset, chat } = deferred
      const accountId = accountIdIn(chat)
      ports.log.warn({ partition, offset, accountId, ...deleted }, 'egress: a command was not sent')
      ports.measure.commandGone(accountId)
      const command = await goneCommand(partition, deferred, clientOf)
      if (command === undefined) return 'finished'
      ports.measure.delivery(accountId, 'failed')
      return announce([refusedEvent(command, { partition, offset }, deleted, ports.now(), ports.now())])
    },
    asDeadLetter: async (record, why) => {
      const { partition, offset } = record
      ports.log.warn({ partition, offset, ...why }, 'egress: a command was refused')
      const keep = () => ports.deadLetter(record, why.cause, why.detail)
      const kept = await retryUntilAborted(ports, 'keeping a dead letter', keep, stopping)
      if (kept === undefined) return 'left to the next owner'
      const command = readable(record.value) ?? (await handOverTo(record, clientOf))
      if (command === undefined) return 'finished'
      const { isFinished } = await readConversation(partition, command)()
      if (isFinished) return duplicate(record, command)
      ports.measure.delivery(command.accountId, 'failed')
      return report(command, record, why)
    },
  }
}

/** A record that was read from bot-replies. `takenAt` is on the monotonic clock. */
export type Taken = { readonly record: IncomingRecord; readonly work: Ownership; readonly takenAt: number }

/** Handles a command to its end. */
export type HandleCommand = (taken: Taken) => Promise<Handled>

/**
 * Whether a bot that uses one id for every hand-over asks for an agent again: another record than the one before, of a
 * conversation that is the bot's again. The client may have been told that an agent comes, so somebody must invite one.
 */
const asksAgain = (
  { type, accountId, chatId }: BotReply,
  { requestedAt, writtenAt }: { readonly requestedAt: Instant; readonly writtenAt: Date },
  before: FinishedBefore,
  readConversation: (chat: Pick<BotReply, 'accountId' | 'chatId'>) => Promise<KnownConversation>,
): Promise<boolean> | false =>
  type === 'InviteAgent' &&
  before.requestedAt.getTime() !== Date.parse(requestedAt) &&
  readConversation({ accountId, chatId }).then(
    ({ conversation }) => takenReasonAt(conversation, writtenAt) === undefined,
  )

/** A command whose handling fails is refused: its partition must not stop. */
export const commandHandler = ({
  ports,
  accounts,
  refuse,
  send,
  readConversation,
  finishedBefore,
}: {
  readonly ports: Pick<EgressPorts, 'reroute' | 'decodeCommand' | 'measure' | 'log' | 'now'>
  readonly accounts: ReadonlyMap<string, Account>
  readonly refuse: Refuse
  readonly send: SendCommand
  readonly readConversation: ReadConversation
  readonly finishedBefore: FindFinished
}): HandleCommand => {
  const handle = async ({ record, work, takenAt }: Taken, traceparent: string | undefined): Promise<Handled> => {
    const checked = pipe(
      ports.decodeCommand(record),
      E.chain((command) => checkCommand(command, String(record.key ?? ''), accounts)),
    )
    if (E.isLeft(checked)) return refuse.asDeadLetter(record, checked.left)
    // A bot may use another partitioner, or know of more partitions. Other workers do not know the conversation.
    const wasRerouted = await ports.reroute(record)
    if (wasRerouted !== false) return wasRerouted ? 'finished' : 'left to the next owner'
    const { command, account } = checked.right
    const { partition } = work
    const requestedAt = recordTime(record)
    // A bot's clock may be wrong: what it wrote in the future, it wrote now.
    const writtenAt = new Date(Math.min(Date.parse(requestedAt), Date.parse(ports.now())))
    const handled = await send({
      command,
      account,
      work,
      takenAt,
      requestedAt,
      traceparent,
      isLastResort: false,
      decide: ({ conversation }) =>
        conversation.clientId === undefined || conversation.clientId === command.clientId
          ? decideReply(conversation, command, writtenAt, account.bot)
          : 'names another client',
    })
    if (handled === 'names another client') return refuse.asDeadLetter(record, anotherClient)
    if (handled !== 'finished before') return handled
    const before = await finishedBefore(partition, command)
    if (before?.digest !== undefined) {
      const isOther = before.digest !== digestOf(command, requestedAt)
      const isNew =
        isOther ||
        (await asksAgain(command, { requestedAt, writtenAt }, before, (chat) => readConversation(partition, chat)()))
      return isNew ? refuse.duplicate(record, command) : handled
    }
    // MongoDB is unavailable, or the outcome was too large and lost its message. Most likely it is a repeat.
    const { accountId, id: commandId } = command
    ports.log.warn(
      { partition, offset: record.offset, accountId, commandId },
      'egress: a command id was used again, and the content of the first command is unknown',
    )
    ports.measure.duplicateCommand(accountId, 'unknown')
    return handled
  }

  return async (taken) => {
    const { record } = taken
    const span = processSpan(record, 'egress')
    try {
      return await handle(taken, traceparentAfter(span, traceparentIn(record)))
    } catch (error) {
      const detail = faultOf(error)
      ports.log.error(
        { partition: record.partition, offset: record.offset, detail },
        'egress: a command was not handled',
      )
      return refuse.asDeadLetter(record, { cause: 'unforeseen', detail })
    } finally {
      endSpan(span)
    }
  }
}
