import type { ConversationEvent } from '../../contracts/events/index.ts'
import { ceType } from '../../contracts/topics.ts'
import { marksByType, withoutPersonal } from '../bridge/domain/person/personal-data.ts'

/**
 * The event without what may identify a person: words, names, addresses and fields that the contract does not know.
 * Ids, times and kinds stay. For logs, prompts and models that are somebody else's. A required text is empty then.
 */
export const withoutPersonalData = <E extends ConversationEvent>(event: E): E => {
  const marks = marksByType.get(ceType(event.type))
  // A type without marks does not exist; if it did, all of its data would be personal.
  return { ...event, data: marks === undefined ? {} : withoutPersonal(marks, event.data) }
}
