import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { shape } from '../primitives.ts'

/** What we answer to chat_accepted and chat_updated, shown to the agent (protocol, Interface A: response parameters). */
export const WebhookReply = shape(
  {
    /** Says that the event was taken, and that the rest may be shown to agents. */
    result: t.literal('ok'),
  },
  {
    custom_data: t.array(t.type({ title: Text, content: Text })),
    contact_info: t.partial({ name: Text, phone: Text, email: Text }),
    enable_assign: t.boolean,
    crm_link: Text,
    page: shape({ url: Text }, { title: Text }, 'ReplyPage'),
  },
  'WebhookReply',
)
export type WebhookReply = t.TypeOf<typeof WebhookReply>
