// The example of the guide, which imports the kit by the name of its package.
export { shopBot as default } from '../../../../contracts/guides/examples/shop-bot.ts'
