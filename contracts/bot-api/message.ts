import { Message } from '../events/message.ts'
import { MessageButton } from '../messages/buttons.ts'
import { wireFormOf } from '../wire-form.ts'

/** A button of a message as the service sends it. */
export const WireAnswerButton = wireFormOf(MessageButton)

/** A message as the service sends it (protocol, Resources, Message). */
export const WireMessage = wireFormOf(Message)
