import type { Account, BotAccount } from '../../domain/accounts.ts'
import type { Service } from '../service.ts'
import type { EventLog } from './log.ts'
import type { Stage } from './stage.ts'

/** An account that both interfaces are played on. */
export type DemoAccount = Account & { readonly webhooks: { readonly token: string }; readonly bot: BotAccount }

/** What an act is played with. `newChatId` gives a number that no chat has had before. */
export type Story = {
  readonly stage: Stage
  readonly service: Service
  readonly account: DemoAccount
  readonly bridgeUrl: string
  readonly newChatId: () => number
  readonly log: EventLog
}
