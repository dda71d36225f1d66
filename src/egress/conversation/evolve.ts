import type { Id } from '../../../contracts/primitives.ts'
import { mostSeen } from '../../../contracts/views/applied.ts'
import { asked, type Conversation, invite, withoutUnheard } from './conversation.ts'
import type { Fact } from './facts.ts'
import { withFinished } from './finished.ts'

const keptUnanswered = 100

const wrote = (current: Conversation, { eventId, at }: { readonly eventId: Id; readonly at: number }): Conversation => {
  const { state } = current
  const status = state === 'invited' ? ({ status: 'agent-asked' } as const) : {}
  const [oldest, ...others] =
    state === 'agent' ? current.unanswered : [...current.unanswered, { id: eventId, at, ...status }]
  return {
    ...current,
    state: state === 'closed' ? 'bot' : state,
    unanswered: oldest === undefined ? [] : [oldest, ...others.slice(1 - keptUnanswered)],
    newestClientMessage: eventId,
  }
}

const next = (current: Conversation, fact: Fact): Conversation => {
  switch (fact.kind) {
    case 'client-message':
      return wrote(current, fact)
    case 'invited':
      return invite(current, fact.at)
    case 'joined':
      return {
        ...withoutUnheard(current),
        unanswered: [],
        state: current.state === 'closed' ? 'closed' : 'agent',
      }
    case 'unavailable': {
      const { eventId: id, at } = fact
      const known = { ...current, unavailableAt: at }
      return current.state === 'closed' ? known : { ...asked(known), state: 'unavailable', unheard: { id, at } }
    }
    case 'closed':
      return { ...withoutUnheard(current), unanswered: [], state: 'closed' }
    case 'finished':
      return withFinished(current, fact, fact.at)
  }
}

/**
 * The conversation after one more fact, as the view folds it (contracts/views/conversation.ts). A client's message after
 * closing gives it to the bot again, and after AGENT_UNAVAILABLE the bot may ask for contact details (protocol, Events,
 * sequence 3).
 */
export const evolve = (current: Conversation, fact: Fact): Conversation => ({
  ...next(current, fact),
  ...(fact.clientId !== undefined && { clientId: fact.clientId }),
  seen: [...current.seen, fact.id].slice(-mostSeen),
})

/** Whether its `seen` has every fact that it was made of: none is forgotten yet. */
export const forgotNone = ({ seen }: Conversation): boolean => seen.length < mostSeen

/** The conversation after those of the facts that it has not seen. */
export const withFacts = (current: Conversation, facts: ReadonlyArray<Fact>): Conversation =>
  facts.filter(({ id }) => !current.seen.includes(id)).reduce(evolve, current)
