import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { Account } from '../domain/accounts.ts'
import type { IncomingRecord } from '../domain/ports.ts'
import { recordTime } from '../domain/record-time.ts'
import { checkCommand } from './check-command.ts'
import { decide } from './conversation/fence.ts'
import { digestOf } from './outcome.ts'
import type { PartitionWork } from './partition-work.ts'
import type { EgressPorts } from './ports.ts'
import type { Refuse } from './refuse.ts'
import type { SendCommand } from './sender.ts'

type Parts = {
  readonly ports: Pick<EgressPorts, 'bringHome' | 'decodeCommand'>
  readonly accounts: ReadonlyMap<string, Account>
  readonly refuse: Refuse
  readonly send: SendCommand
  /** What the command asked for that was finished under this id, where that is known. */
  readonly digestBefore: (partition: number, command: BotReply) => Promise<string | undefined>
}

/** A record as it was taken off bot-replies, `takenAt` on the monotonic clock. */
export type Taken = { readonly record: IncomingRecord; readonly work: PartitionWork; readonly takenAt: number }

/** Handles a command to its end; false where it is left to whoever reads it next. */
export type HandleCommand = (taken: Taken) => Promise<boolean>

export const commandHandler =
  ({ ports, accounts, refuse, send, digestBefore }: Parts): HandleCommand =>
  async ({ record, work, takenAt }) => {
    const checked = pipe(
      ports.decodeCommand(record),
      E.chain((command) => checkCommand(command, String(record.key ?? ''), accounts)),
    )
    if (E.isLeft(checked)) return refuse.invalid(record, checked.left)
    // A bot may choose partitions in another way, or know of more: elsewhere nothing is known of the conversation.
    const isElsewhereNow = await ports.bringHome(record)
    if (isElsewhereNow !== false) return isElsewhereNow === true
    const { command, account } = checked.right
    const { partition } = work
    const requestedAt = recordTime(record)
    const result = await send({
      ...{ command, account, work, takenAt, partition, requestedAt, isLastResort: false },
      decide: ({ conversation }) => decide(conversation, command, account.bot.whenOvertaken),
    })
    if (result !== 'finished before') return result === 'done'
    const before = await digestBefore(partition, command)
    return before === undefined || before === digestOf(command, requestedAt) || refuse.duplicate(record, command)
  }
