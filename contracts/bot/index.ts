/** The kit for bots under the name that its users import it by: it comes with the package livechat-bridge-contracts. */
export * from '../../src/bot/index.ts'
