import * as t from 'io-ts'
import { Agent, AssignedAgent, Department, Organization, Status, Tag, Visitor } from '../events/parts.ts'
import { Page, Session } from '../events/session.ts'
import { Code, Text } from '../personal.ts'
import { BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import type { ViewContract } from './contract.ts'
import { DatedChatMessage } from './dated.ts'

/**
 * One chat with an agent. `state` is open from the first event, finished after ChatFinished, and open again when an
 * agent accepts the chat again. `agents` are all who accepted it or took part. `visitor` and the optional parts come
 * from the newest event that has them. `acceptedAt` is when an agent first accepted the chat since it was last
 * finished. The other times are those of the newest event of each kind. `firstResponseMs` is from the visitor's first
 * message to the agent's first one after it in the log (to the second, as the service reports it). `totalMs` is from
 * that acceptance to `finishedAt`.
 *
 * If a chat that was never accepted before is accepted up to 15 s after its end, the end has overtaken the acceptance:
 * webhooks have no time and no number. The chat stays finished, `acceptedAt` is at most `finishedAt`, and `totalMs` is
 * absent. So a chat whose acceptance was lost, and that is accepted again within these 15 s, counts as finished.
 *
 * The data of ChatFinished (`rate`, `blacklisted`, `invitation`, both durations) stays
 * until the chat is finished again.
 */
export const ChatDocument = exactShape(
  {
    ...folded,
    chatId: Id,

    /** Whether the chat is open or finished. */
    state: t.keyof({ open: null, finished: null }),

    /** Everyone who accepted the chat or took part, at most 1,000: the first ones. */
    agents: t.array(Agent),

    /**
     * The log from ChatFinished, oldest message first. If the chat was opened again and the new log begins later, it
     * follows the former one. Of a log with more than 4 MiB of JSON it has only the newest
     * messages, so that the document stays below MongoDB's limit of 16 MiB. The event's record has the whole log. Its
     * entry in timeline names that record.
     */
    messages: t.array(DatedChatMessage),

    /** The time of the first event. */
    firstEventAt: BsonDate,

    /** The time of the newest event. */
    lastEventAt: BsonDate,
  },
  {
    ...foldedOptional,
    visitor: Visitor,
    widgetId: Id,
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

    /** How many of the oldest messages are left out of `messages`. Absent if none. */
    messagesOmitted: Count,

    /** The client's rating of the chat, in the service's words. */
    rate: Code,

    /** Whether an agent blocked the client. */
    blacklisted: t.boolean,

    /** The text that invited the visitor to chat. */
    invitation: Text,

    /** When an agent first accepted the chat since it was last finished; at most the time of an end that overtook it. */
    acceptedAt: BsonDate,

    /** When the chat was last linked to the CRM. */
    assignedAt: BsonDate,

    /** When the visitor's data last changed. */
    updatedAt: BsonDate,

    /** When the chat was last finished. */
    finishedAt: BsonDate,

    /**
     * The time from the visitor's first message to the agent's first one after it, in milliseconds, exact to a second.
     */
    firstResponseMs: Count,

    /** The time from acceptance to finish, in milliseconds. */
    totalMs: Count,
  },
  'ChatDocument',
)
export type ChatDocument = t.TypeOf<typeof ChatDocument>

export const chats = { name: 'chats', version: 4, document: ChatDocument } as const satisfies ViewContract
