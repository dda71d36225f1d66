import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent, extra } from './envelope.ts'
import { conversation } from './fields.ts'
import { Message } from './message.ts'

/** A client wrote to the bot, which must answer (CLIENT_MESSAGE). */
export const ClientMessageReceived = domainEvent(
  'ClientMessageReceived',
  exactShape(
    {
      ...conversation,
      /** What the client wrote. */
      message: Message,
    },
    extra,
    'ClientMessageReceivedData',
  ),
)
export type ClientMessageReceived = t.TypeOf<typeof ClientMessageReceived>
