import type { Account, BotAccount } from '../../../bridge/domain/accounts.ts'
import type { Service } from '../service.ts'
import type { EventLog } from './log.ts'
import type { Stage } from './stage.ts'

/** An account for both interfaces. */
export type DemoAccount = Account & { readonly webhooks: { readonly token: string }; readonly bot: BotAccount }

/** What an act needs. `newChatId` returns a number that no chat has had before. */
export type Story = {
  readonly stage: Stage
  readonly service: Service
  readonly account: DemoAccount
  readonly bridgeUrl: string
  readonly newChatId: () => number
  readonly log: EventLog
}
