import type { BridgeAccount } from '../../../src/tools/simulator/account.ts'

export const plain: BridgeAccount = {
  id: 'acme',
  webhooks: { token: 'webhooks-token-of-acme' },
  bot: { token: 'bot-token-of-acme', providerId: 'prov1' },
}

export const authorized: BridgeAccount = {
  id: 'globex',
  bot: {
    token: 'bot-token-of-globex',
    providerId: 'prov2',
    authorization: { clientId: 'globex', secretKey: 'secret-key-of-globex' },
  },
}

export const webhooksPath = '/webhooks/prov1/bot-token-of-acme'
export const providersPath = '/providers/prov2/bot-token-of-globex'

export const botMessage = {
  event: 'BOT_MESSAGE',
  id: 'm1',
  client_id: '1233',
  chat_id: '2037',
  message: { type: 'TEXT', text: 'Hello', timestamp: 1665415879 },
}
export const inviteAgent = { event: 'INVITE_AGENT', id: 'i1', client_id: '1233', chat_id: '2037' }
