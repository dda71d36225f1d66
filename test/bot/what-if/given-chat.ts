import { conversationEvent } from '../../../src/bot/harness.ts'
import { type Acts, shapeOf } from '../../../src/bot/what-if/acts.ts'

/** `10:00:05` on 31 January 2026. */
const at = (time: string) => `2026-01-31T${time}.000Z`

/** Events of one chat, each with its id and time. */
export const client = (id: string, time: string, words = 'Hello', more: object = {}) =>
  conversationEvent(
    'ClientMessageReceived',
    { message: { type: 'TEXT', text: words, timestamp: at(time), ...more } },
    { id, time: at(time) },
  )

type Reply = { readonly to?: string; readonly requestedAt?: string; readonly [field: string]: unknown }

const reply =
  (type: 'BotReplyDelivered' | 'BotReplyFailed' | 'BotReplySuppressed') =>
  (id: string, time: string, { to, requestedAt = time, ...more }: Reply = {}) =>
    conversationEvent(
      type,
      {
        commandId: `command-${id}`,
        message: { type: 'TEXT', text: 'Hello' },
        requestedAt: at(requestedAt),
        ...(to !== undefined && { inReplyTo: to }),
        ...more,
      },
      { id, time: at(time) },
    )

export const delivered = reply('BotReplyDelivered')
export const failed = reply('BotReplyFailed')
export const suppressed = reply('BotReplySuppressed')
export const handedOver = (id: string, time: string, to?: string) =>
  conversationEvent(
    'BotReplyDelivered',
    {
      commandId: `command-${id}`,
      commandType: 'InviteAgent',
      requestedAt: at(time),
      ...(to !== undefined && { inReplyTo: to }),
    },
    { id, time: at(time) },
  )

export const event = (
  type: 'AgentInvited' | 'AgentJoined' | 'AgentUnavailable' | 'ChatClosed',
  id: string,
  time: string,
) => conversationEvent(type, {}, { id, time: at(time) })

export const rules = { replyWithin: 10_000, readUntil: Date.parse('2026-02-01T00:00:00Z') }

/** An answer as text: `TEXT + hand-over`, `silence`. */
export const shapesOf = (acts: Acts): string => (acts.length === 0 ? 'silence' : acts.map(shapeOf).join(' + '))
