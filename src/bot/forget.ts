import type { ErasureConfirmation } from '../../contracts/commands/erasure-confirmation.ts'
import type { ChatErased } from '../../contracts/events/index.ts'
import type { Instant, NonBlank } from '../../contracts/primitives.ts'
import type { Log } from '../bridge/shared/log.ts'
import { within } from '../bridge/shared/timeout.ts'
import type { Handlers } from './handlers.ts'

/** In ms. Later events of the chat wait for it. */
const defaultForgetWithin = 60_000

/**
 * Makes the bot forget a chat. A bot without the handler keeps no data, so there is nothing to confirm. If the handler
 * fails, there is no confirmation, and the status of the erasure does not list the bot's group.
 */
export const forgetWith =
  (
    { onChatErased }: Handlers,
    group: string,
    now: () => Instant,
    log: Pick<Log, 'error'>,
    forgetWithin = defaultForgetWithin,
  ) =>
  async (event: ChatErased): Promise<ErasureConfirmation | undefined> => {
    if (onChatErased === undefined) return undefined
    const { accountId, chatId, clientId, erasureId } = event.data
    const tooSlow = () => Promise.reject(new Error(`onChatErased took longer than ${forgetWithin} ms`))
    try {
      await within(forgetWithin, Promise.resolve(onChatErased(event)), tooSlow)
    } catch (err) {
      log.error({ accountId, chatId, erasureId, err }, 'the bot has not forgotten a chat')
      return undefined
    }
    const whose = { chatId, ...(clientId !== undefined && { clientId }) }
    return { accountId, erasureId, group: group as NonBlank, erasedAt: now(), ...whose }
  }
