import type * as t from 'io-ts'
import { Text } from '../personal.ts'
import { exactShape, Id } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { webhook } from './fields.ts'

/** A visitor wrote through the offline form (offline_message). */
export const OfflineMessageReceived = domainEvent(
  'OfflineMessageReceived',
  exactShape(
    {
      ...webhook.required,
      /** The chat. Its id is unique within the account and the same on both interfaces. */
      chatId: Id,
    },
    {
      ...webhook.optional,
      /** What was written. */
      message: Text,
      /** The message's id in the chat. */
      offlineMessageId: Id,
    },
    'OfflineMessageReceivedData',
  ),
)
export type OfflineMessageReceived = t.TypeOf<typeof OfflineMessageReceived>
