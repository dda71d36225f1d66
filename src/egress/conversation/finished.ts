import { type Conversation, invite, marked, withoutUnheard } from './conversation.ts'
import type { Finished } from './facts.ts'

/** How many of the unanswered messages a command is for: up to that of its `inReplyTo`, all where that is not known. */
const countFor = ({ unanswered, seen }: Conversation, { inReplyTo }: Finished): number => {
  if (inReplyTo === undefined) return unanswered.length
  const place = unanswered.findIndex(({ id }) => id === inReplyTo)
  if (place >= 0) return place + 1
  return seen.includes(`bot/${inReplyTo}`) ? 0 : unanswered.length
}

const heard = (current: Conversation, { because, inReplyTo }: Finished): Conversation =>
  because === undefined || inReplyTo === current.unheard?.id ? withoutUnheard(current) : current

/** The conversation after a command came to its end; `at` is when a delivered one was sent, in ms since 1970. */
export const withFinished = (current: Conversation, fact: Finished, at: number): Conversation => {
  const { outcome, commandType, because } = fact
  switch (outcome) {
    case 'delivered':
      return commandType === 'InviteAgent'
        ? invite(current, at)
        : { ...heard(current, fact), unanswered: current.unanswered.slice(countFor(current, fact)) }
    case 'failed':
      return because === 'agent-unavailable'
        ? heard(current, fact)
        : marked(current, countFor(current, fact), because === undefined ? 'reply-failed' : 'agent-asked')
    case 'suppressed':
      return current
  }
}
