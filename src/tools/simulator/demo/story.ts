import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import type { Account, BotAccount } from '../../../bridge/domain/accounts.ts'
import type { Service } from '../service.ts'
import type { EventLog } from './log.ts'
import type { Stage } from './stage.ts'

/** An account for both interfaces. */
export type DemoAccount = Account & { readonly webhooks: { readonly token: string }; readonly bot: BotAccount }

/** An enrichment, as a team writes it, and its key. */
export type Note = { readonly key: string; readonly value: unknown }

/** What an act needs. `newChatId` returns a number that no chat has had before. */
export type Story = {
  readonly stage: Stage
  readonly service: Service
  readonly account: DemoAccount
  readonly bridgeUrl: string
  readonly newChatId: () => number
  readonly log: EventLog
  /** Appends a command to bot-replies under the key `<account id>/<chat id>`. */
  readonly produceReply: (command: BotReply) => Promise<void>
  /** Appends an enrichment. */
  readonly produceNote: (note: Note) => Promise<void>
}
