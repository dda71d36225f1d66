import * as t from 'io-ts'
import { Agent, AssignedAgent, Department, Organization, Status, Tag, Visitor } from '../events/parts.ts'
import { Page, Session } from '../events/session.ts'
import { Code, Text } from '../personal.ts'
import { BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import { DatedChatMessage } from './dated.ts'

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

    /** Whether the chat is under way. */
    state: t.keyof({ open: null, finished: null }),
    visitor: Visitor,

    /** Everyone who accepted it or took part. */
    agents: t.array(Agent),

    /**
     * The log as ChatFinished told it, oldest first: of a log with more than 4 MiB of JSON the newest messages, so that the
     * document stays below MongoDB's limit of 16 MiB. The whole log is in the event's record, which its entry in timeline names.
     */
    messages: t.array(DatedChatMessage),

    /** When the bridge first heard of the chat. */
    firstEventAt: BsonDate,

    /** When it last did. */
    lastEventAt: BsonDate,
  },
  {
    ...foldedOptional,
    userToken: Text,
    organization: Organization,
    status: Status,
    assignedAgent: AssignedAgent,
    tags: t.array(Tag),
    department: Department,
    session: Session,
    page: Page,

    /** The link to the CRM that was used. */
    assignTo: Text,

    /** How many of the oldest messages were left out of `messages`; absent where none. */
    messagesOmitted: Count,

    /** The client's verdict on the chat, in the service's words. */
    rate: Code,

    /** Whether an agent blocked the client. */
    blacklisted: t.boolean,

    /** The text that invited the visitor to chat. */
    invitation: Text,

    /** When an agent first accepted it since it was last finished. */
    acceptedAt: BsonDate,

    /** When it was last linked to the CRM. */
    assignedAt: BsonDate,

    /** When the visitor's data last changed. */
    updatedAt: BsonDate,

    /** When it was last finished. */
    finishedAt: BsonDate,

    /** From the visitor's first message to the agent's first one after it, in milliseconds, exact to a second. */
    firstResponseMs: Count,

    /** From acceptance to finish, in milliseconds. */
    totalMs: Count,
  },
  'ChatDocument',
)
export type ChatDocument = t.TypeOf<typeof ChatDocument>
