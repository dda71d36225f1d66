import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { nullable, shape } from '../primitives.ts'
import { UnixTime, WireId } from '../wire.ts'

const sent = { timestamp: UnixTime }
const clicked = { button_id: nullable(WireId) }

/** A plain message; `button_id` is the button that the client clicked. */
export const WireText = shape({ type: t.literal('TEXT'), text: Text, ...sent }, clicked, 'TEXT message')

/** A message in Markdown: links, bold, italic; `text` is the same as plain text. */
export const WireMarkdown = shape(
  { type: t.literal('MARKDOWN'), content: Text, text: Text, ...sent },
  clicked,
  'MARKDOWN message',
)

/** A question with buttons. The protocol allows at most 3 (Limits), but a message of the service may have more. */
export const WireButtons = shape(
  {
    type: t.literal('BUTTONS'),
    title: Text,
    text: Text,
    buttons: t.array(shape({ text: Text, id: WireId }, {}, 'WireButton')),
    ...sent,
  },
  { force_reply: nullable(t.boolean) },
  'BUTTONS message',
)

/** A message as the service sends it (protocol, Resources, Message). */
export const WireMessage = t.union([WireText, WireMarkdown, WireButtons], 'a TEXT, MARKDOWN or BUTTONS message')
