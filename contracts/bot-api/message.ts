import * as t from 'io-ts'
import { impersonal } from '../personal.ts'
import { nullable, shape } from '../primitives.ts'
import { UnixTime, WireBoolean, WireId, WireText } from '../wire.ts'

/** A button of a question. */
const WireButton = shape({}, { text: nullable(WireText), id: nullable(WireId) }, 'WireButton')

/**
 * A message as the service sends it (protocol, Resources, Message). Known types are TEXT, MARKDOWN, BUTTONS, PHOTO,
 * VOICE, STICKER, LOCATION and DOCUMENT. `button_id` is the button that the client clicked.
 */
export const WireMessage = shape(
  {},
  {
    type: nullable(impersonal(WireText)),
    text: nullable(WireText),
    content: nullable(WireText),
    title: nullable(WireText),
    buttons: nullable(t.array(WireButton)),
    timestamp: nullable(UnixTime),
    button_id: nullable(WireId),
    force_reply: nullable(WireBoolean),
  },
  'WireMessage',
)
