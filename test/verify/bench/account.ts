/** The one account of the bench's bridges, as both sides know it. */
export const accountId = 'acme'
export const webhooksToken = 'bench-webhooks-token'
export const botToken = 'bench-bot-token-of-acme'
export const providerId = 'bench'
