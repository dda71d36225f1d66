import * as t from 'io-ts'
import { exactShape, Id } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { webhook } from './fields.ts'

/** A visitor wrote through the offline form (offline_message). */
export const OfflineMessageReceived = domainEvent(
  'OfflineMessageReceived',
  exactShape(
    { ...webhook.required, chatId: Id, message: t.string, offlineMessageId: Id },
    webhook.optional,
    'OfflineMessageReceivedData',
  ),
)
export type OfflineMessageReceived = t.TypeOf<typeof OfflineMessageReceived>
