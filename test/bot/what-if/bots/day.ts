/** The bot of the day: the shop's bot of the guides, which has no state. */
export { shopBot as bot } from '../../../../contracts/guides/examples/shop-bot.ts'
