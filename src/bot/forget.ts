import type { ErasureConfirmation } from '../../contracts/commands/erasure-confirmation.ts'
import type { ChatErased } from '../../contracts/events/index.ts'
import type { Instant, NonBlank } from '../../contracts/primitives.ts'
import type { Log } from '../domain/ports.ts'
import type { Handlers } from './handlers.ts'

/**
 * Makes the bot forget a chat. A bot without the handler keeps no data, so there is nothing to confirm. If the handler
 * fails, there is no confirmation, and the status of the erasure does not list the bot's group.
 */
export const forgetWith =
  ({ onChatErased }: Handlers, group: string, now: () => Instant, log: Pick<Log, 'error'>) =>
  async (event: ChatErased): Promise<ErasureConfirmation | undefined> => {
    if (onChatErased === undefined) return undefined
    const { accountId, chatId, clientId, erasureId } = event.data
    try {
      await onChatErased(event)
    } catch (err) {
      log.error({ accountId, chatId, erasureId, err }, 'the bot has not forgotten a chat')
      return undefined
    }
    const whose = { chatId, ...(clientId !== undefined && { clientId }) }
    return { accountId, erasureId, group: group as NonBlank, erasedAt: now(), ...whose }
  }
