import * as t from 'io-ts'
import { shape } from '../primitives.ts'

/** What we answer to chat_accepted and chat_updated, shown to the agent (protocol, Interface A: response parameters). */
export const WebhookReply = shape(
  {
    /** Says that the event was taken, and that the rest may be shown to agents. */
    result: t.literal('ok'),
  },
  {
    custom_data: t.array(t.type({ title: t.string, content: t.string })),
    contact_info: t.partial({ name: t.string, phone: t.string, email: t.string }),
    enable_assign: t.boolean,
    crm_link: t.string,
    page: shape({ url: t.string }, { title: t.string }, 'ReplyPage'),
  },
  'WebhookReply',
)
export type WebhookReply = t.TypeOf<typeof WebhookReply>
