/** The bot kit under the name by which its users import it. It is part of the package livechat-bridge-contracts. */
export * from '../../src/bot/index.ts'
