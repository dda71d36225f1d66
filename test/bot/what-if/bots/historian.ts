import { type Handlers, text } from '../../../../src/bot/index.ts'

/** Says what was said in its chat. */
export const bot: Handlers = {
  onMessage: async (_, { history }) =>
    text((await history()).map((each) => `${each.from} ${each.text}`.trim()).join(', ')),
}
