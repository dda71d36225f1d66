import type { ConversationEvent } from '../../../contracts/events/index.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { sessions as contract } from '../../../contracts/views/session.ts'
import { unlessDuplicate } from './conversations.ts'
import { byMarks } from './erase.ts'
import { by, where, whereOfAll } from './indexes.ts'
import { chainId } from './session-chain.ts'
import { evolveAgentSessions } from './sessions-agent.ts'
import { evolveBotSessions, withoutWaitingClient } from './sessions-bot.ts'
import { chatTypes, conversationTypes, each, folded, type TimelessEvent } from './view.ts'

/** A chain of documents for each chat and kind: each session begins where the former one has ended. */
export const sessions = folded(contract, {
  isChain: true,
  folds: {
    ...each(chatTypes, { at: ({ event }) => chainId(event, 'agent'), next: evolveAgentSessions }),
    ...each(conversationTypes, {
      at: unlessDuplicate<TimelessEvent<Dated<ConversationEvent>>>((event) => chainId(event, 'bot')),
      next: evolveBotSessions,
    }),
  },
  erasure: byMarks(withoutWaitingClient),
  indexes: [
    where('acceptedAt'),
    where('endsAt'),
    whereOfAll('latestOf'),
    { key: { 'audit.state': 1 }, partialFilterExpression: { 'audit.state': 'due' } },
    by('startedAt'),
    by('kind', 'startedAt'),
    by('outcome', 'startedAt'),
    // Few sessions have `repliesFailed`. This index has them in the order of their start.
    { ...by('startedAt', 'repliesFailed'), partialFilterExpression: { repliesFailed: { $exists: true } } },
    // The same for messages without an answer.
    { ...by('startedAt', 'awaitingSince'), partialFilterExpression: { awaitingSince: { $exists: true } } },
    by('chatId', 'startedAt'),
    by('channelId', 'startedAt'),
    by('agents.id', 'startedAt'),
    where('clientId', 'startedAt'),
    where('visitorNumber', 'startedAt'),
  ],
  person: {
    links: { chat: ['chatId'], client: ['clientId'], visitor: ['visitorNumber'] },
    documents: [{ field: 'chatId' }],
  },
})
