import { AccountId, Instant } from '../../contracts/primitives.ts'
import { decodeBotEvent, decodeWebhook } from '../../src/bridge/domain/requests.ts'
import { right } from './either.ts'

/** What the bridge knows of a request beside its payload. */
export const receipt = {
  accountId: right(AccountId.decode('acme')),
  receivedAt: right(Instant.decode('2026-01-31T12:00:00.000Z')),
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}

/** How a payload of each interface is decoded. A webhook has no id of its own. */
export const decoders = {
  webhooks: (payload: unknown) => decodeWebhook(payload, { ...receipt, id: 'an-id' }),
  'bot-api': (payload: unknown) => decodeBotEvent(payload, receipt),
}
export type Api = keyof typeof decoders
