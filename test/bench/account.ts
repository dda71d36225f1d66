/** The one account of the bench's bridges, as it is known on both sides. */
export const accountId = 'acme'
export const webhooksToken = 'bench-webhooks-token'
export const botToken = 'bench-bot-token-of-acme'
export const providerId = 'bench'
