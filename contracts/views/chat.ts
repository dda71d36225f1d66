import * as t from 'io-ts'
import {
  Agent,
  AssignedAgent,
  ChatMessage,
  Department,
  Organization,
  Page,
  Session,
  Status,
  Tag,
  Visitor,
} from '../events/parts.ts'
import { Count, exactShape, Id, Instant } from '../primitives.ts'
import { folded } from './applied.ts'

/**
 * One chat with an agent. `state`: open from its first event, finished after ChatFinished, open again when it is
 * accepted anew. `agents` are all who accepted it or took part, `visitor` and the optional parts as last told.
 * `acceptedAt` is when an agent first accepted it since it was last finished; the other times are those of the newest
 * event of each kind. `firstResponseMs` is from the visitor's first message to the agent's first one after it in the
 * log (to the second, as the service gives it), `totalMs` from the acceptance before it to `finishedAt`. What
 * ChatFinished tells (`messages`, `rate`, `blacklisted`, `invitation`, both durations) stays until the chat is
 * finished anew.
 */
export const ChatDocument = exactShape(
  {
    ...folded,
    chatId: Id,
    widgetId: Id,
    state: t.keyof({ open: null, finished: null }),
    visitor: Visitor,
    agents: t.array(Agent),
    messages: t.array(ChatMessage),
    firstEventAt: Instant,
    lastEventAt: Instant,
  },
  {
    userToken: t.string,
    organization: Organization,
    status: Status,
    assignedAgent: AssignedAgent,
    tags: t.array(Tag),
    department: Department,
    session: Session,
    page: Page,
    assignTo: t.string,
    rate: t.string,
    blacklisted: t.boolean,
    invitation: t.string,
    acceptedAt: Instant,
    assignedAt: Instant,
    updatedAt: Instant,
    finishedAt: Instant,
    firstResponseMs: Count,
    totalMs: Count,
  },
  'ChatDocument',
)
export type ChatDocument = t.TypeOf<typeof ChatDocument>
