import * as t from 'io-ts'
import { buttons } from '../messages/buttons.ts'
import { ReplyMessage } from '../messages/index.ts'
import { Text } from '../personal.ts'
import { AccountId, Id, nullable, shape } from '../primitives.ts'
import { WireId } from '../wire.ts'

export { ReplyMessage } from '../messages/index.ts'

const command = {
  /** Any text that is unique among the chat's commands of this type. A command that was sent once is not sent again. */
  id: Id,
  /** The account, as in the event that is answered. */
  accountId: AccountId,
  /** The chat, as in the event that is answered. */
  chatId: WireId,
  /** The client, as in the event that is answered. */
  clientId: WireId,
}

const optional = {
  /** The ce_id of the ClientMessageReceived that it answers. */
  inReplyTo: nullable(Id),
  /**
   * Which bot answers: the name of its consumer group. Operators see it beside the reply, so two bots that answer one
   * chat can be told apart. A value that does not fit costs only itself.
   */
  group: nullable(Id),
}

/**
 * A reply of bot logic to a client. `id` is unique among the messages of the chat: a command that was sent once is not
 * sent again.
 */
export const BotMessage = shape(
  {
    /** The type of the command. */
    type: t.literal('BotMessage'),
    ...command,
    /** The message for the client. */
    message: ReplyMessage,
  },
  {
    ...optional,
    /**
     * True if the answer follows, as after "One moment". Such a message does not answer the client: the bridge waits
     * once more for `bot.replyWithin`, counted from the delivery of the first such message, and then invites an agent.
     */
    expectsMore: nullable(t.boolean),
  },
  'BotMessage',
)

/** Bot logic hands the client to an agent. */
export const InviteAgent = shape(
  {
    /** The type of the command. */
    type: t.literal('InviteAgent'),
    ...command,
  },
  {
    ...optional,
    /** Why the client is handed over, for people: operators read it in `deliveries`. The service does not get it. */
    reason: nullable(Text),
  },
  'InviteAgent',
)

/** A command that bot logic publishes on bot-replies. */
export const BotReply = t.union([BotMessage, InviteAgent], 'a BotMessage or InviteAgent command')
export type BotReply = t.TypeOf<typeof BotReply>

const ofExample = { id: 'r-1', accountId: 'acme', chatId: '2037', clientId: '1233' }

/** An example of each command, by its name. */
export const exampleCommands = {
  BotMessage: {
    type: 'BotMessage',
    ...ofExample,
    inReplyTo: '9661ab9c-48b0-11ed-a3d6-859398ff9bd9',
    group: 'shop-bot',
    message: buttons.example,
  },
  InviteAgent: { type: 'InviteAgent', ...ofExample },
}
