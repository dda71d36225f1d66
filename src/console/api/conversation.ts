import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Id } from '../../../contracts/primitives.ts'
import { ChatDocument } from '../../../contracts/views/chat.ts'
import { ConversationDocument } from '../../../contracts/views/conversation.ts'
import { DeliveryDocument } from '../../../contracts/views/delivery.ts'
import { SessionDocument } from '../../../contracts/views/session.ts'
import type { Now } from '../../bridge/domain/clock.ts'
import { invalid } from '../../bridge/http/answer.ts'
import type { Query } from '../../bridge/mongo/connect.ts'
import { chatKey, type Story, storyIn, versionsIn } from '../../bridge/mongo/console-story.ts'
import { idText } from '../../bridge/operations/audit.ts'
import { rolesFor } from '../access/grants.ts'
import type { ConversationAnswer, UnmaskAnswer } from '../answers.ts'
import { type ConsoleRequest, type Handlers, ok, type RecordActionOf, recordLook, unavailable } from '../handler.ts'
import { documentAnswer, type Sight, storyEvent } from '../mask.ts'
import { Cursor, cursorText, readQuery } from '../query.ts'
import { PageEnd } from './conversations.ts'

export type ConversationDeps = {
  readonly now: Now
  readonly mongoQuery: Query
  readonly recordActionOf: RecordActionOf
}

const chatAnswer = documentAnswer(ChatDocument)
const conversationAnswer = documentAnswer(ConversationDocument)
const sessionAnswer = documentAnswer(SessionDocument)
const deliveryAnswer = documentAnswer(DeliveryDocument)

const ConversationQuery = t.partial({ before: Cursor(PageEnd, 'earlier') }, 'ConversationQuery')

const unmaskMs = 15 * 60_000

type Asked = Pick<ConsoleRequest, 'session' | 'accountId' | 'chatId'>

/** True if the session has a role that may see personal data of conversations. */
const mayRead = ({ session, accountId }: Asked) =>
  rolesFor(session.grants, accountId).some((role) => role === 'lead' || role === 'privacy')

/** The time until which this session may see personal data of this conversation. Undefined if it may not. */
const unmaskedUntil = (asked: Asked, at: Date): Date | undefined => {
  const { session, accountId, chatId } = asked
  const times = session.unmasked.flatMap((it) =>
    it.accountId === accountId && it.chatId === chatId && it.until > at ? [it.until] : [],
  )
  return mayRead(asked) ? times.sort((a, b) => a.getTime() - b.getTime()).at(-1) : undefined
}

const answerOf = (chatId: string, story: Story, version: string, until: Date | undefined): ConversationAnswer => {
  const { chat, conversation, sessions, deliveries, events, earlier } = story
  const sight: Sight = until === undefined ? 'masked' : 'clear'
  return {
    chatId,
    masked: until === undefined,
    version,
    ...(until && { unmaskedUntil: until.toISOString() }),
    ...(chat && { chat: chatAnswer(chat, sight) }),
    ...(conversation && { conversation: conversationAnswer(conversation, sight) }),
    sessions: sessions.map((each) => sessionAnswer(each, sight)),
    deliveries: deliveries.map((each) => deliveryAnswer(each, sight)),
    events: events.map((each) => storyEvent(each, sight)).reverse(),
    ...(earlier && { earlier: cursorText(earlier) }),
  }
}

const isEmpty = ({ chat, conversation, sessions, events }: Story) =>
  chat === undefined && conversation === undefined && sessions.length === 0 && events.length === 0

const unknownChat = invalid(404, 'chat: expected the id of a chat that the views know')

export const conversationHandlers = ({
  now,
  mongoQuery,
  recordActionOf,
}: ConversationDeps): Handlers<
  'GET /api/accounts/:account/conversations/:chat' | 'POST /api/accounts/:account/conversations/:chat/unmask'
> => ({
  'GET /api/accounts/:account/conversations/:chat': async (request) => {
    const { accountId, chatId, query } = request
    const read = readQuery(ConversationQuery, query)
    if (E.isLeft(read)) return read
    const chat = { accountId, chatId }
    // Read the version first: a change during the other reads makes it outdated, so the page requests the story again.
    const versions = await mongoQuery(versionsIn)([chat])
    if (E.isLeft(versions)) return E.left(unavailable(versions.left.reason))
    const story = await mongoQuery(storyIn)(chat, read.right.before)
    if (E.isLeft(story)) return E.left(unavailable(story.left.reason))
    if (isEmpty(story.right) && read.right.before === undefined) return E.left(unknownChat)
    const version = versions.right.get(chatKey(chat)) ?? ''
    return ok(answerOf(chatId, story.right, version, unmaskedUntil(request, new Date(now()))))
  },
  'POST /api/accounts/:account/conversations/:chat/unmask': async (request) => {
    const { session, accountId, chatId } = request
    if (!Id.is(chatId)) return E.left(unknownChat)
    const recorded = await recordLook(recordActionOf)(
      request,
      `conversation ${idText({ kind: 'chat', value: chatId })}`,
    )
    if (E.isLeft(recorded)) return recorded
    const until = new Date(Date.parse(now()) + unmaskMs)
    await session.unmask({ accountId, chatId, until })
    const answer: UnmaskAnswer = { unmaskedUntil: until.toISOString() }
    return ok(answer)
  },
})
