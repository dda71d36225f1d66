import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { HttpUrl, shape } from '../primitives.ts'

/** The response to chat_accepted and chat_updated, shown to the agent (protocol, Interface A: response parameters). */
export const WebhookReply = shape(
  {
    /** The bridge accepted the event, and agents may see the rest. */
    result: t.literal('ok'),
  },
  {
    custom_data: t.array(shape({ content: Text }, { title: Text, key: Text, link: HttpUrl }, 'ReplyCustomData')),
    contact_info: t.partial({ name: Text, phone: Text, email: Text, description: Text }),
    enable_assign: t.boolean,
    crm_link: Text,
    page: shape({ url: Text }, { title: Text }, 'ReplyPage'),
  },
  'WebhookReply',
)
export type WebhookReply = t.TypeOf<typeof WebhookReply>
