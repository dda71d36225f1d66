import { type Handlers, text } from '../../../../src/bot/index.ts'

/** Says the four newest messages of its chat. */
export const bot: Handlers = {
  onTurn: async ({ history }) => text((await history(4)).map((each) => `${each.from} ${each.text}`.trim()).join(', ')),
}
