import { sequenceT } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { exactShape, Id } from '../../../../contracts/primitives.ts'
import { ChatDocument } from '../../../../contracts/views/chat.ts'
import { ConversationDocument } from '../../../../contracts/views/conversation.ts'
import { DeliveryDocument } from '../../../../contracts/views/delivery.ts'
import { SessionDocument } from '../../../../contracts/views/session.ts'
import { TimelineDocument } from '../../../../contracts/views/timeline.ts'
import { invalid, type Refusal } from '../../../bridge/http/answer.ts'
import type { Find } from '../../../bridge/mongo/source.ts'
import { idText } from '../../../bridge/operations/audit.ts'
import { type PageEnd as End, pageEnd } from '../../../bridge/shared/page.ts'
import { rolesFor } from '../../access/grants.ts'
import type { Backend } from '../../backend.ts'
import { documentOf, StoryEvent } from '../../documents.ts'
import { documentAnswer, type Sight, storyEvent } from '../../mask.ts'
import { type ConsoleRequest, ok, part, readers, recordLook } from '../../page.ts'
import { Cursor, cursorText, PageEnd, readQuery } from '../../query.ts'
import { type Chat, chatKey, versionsWith } from './live.ts'

const ConversationQuery = t.partial({ before: Cursor(PageEnd, 'earlier') }, 'ConversationQuery')

/**
 * The story of a chat. `masked`: personal text is empty or left out. It has the newest 500 events; for older ones,
 * query `before` with the `earlier` of the previous answer. Deliveries are the newest 500 that were requested before
 * the newest event of the answer.
 */
export const ConversationAnswer = exactShape(
  {
    chatId: t.string,
    masked: t.boolean,
    /** Changes when anything in the answer changes. */
    version: t.string,
    sessions: t.array(documentOf(SessionDocument)),
    deliveries: t.array(documentOf(DeliveryDocument)),
    /** Oldest first. */
    events: t.array(StoryEvent),
  },
  {
    unmaskedUntil: t.string,
    chat: documentOf(ChatDocument),
    conversation: documentOf(ConversationDocument),
    earlier: t.string,
  },
  'ConversationAnswer',
)
export type ConversationAnswer = t.TypeOf<typeof ConversationAnswer>

/** The time until which this session sees the personal data of the conversation. */
export const UnmaskAnswer = exactShape({ unmaskedUntil: t.string }, {}, 'UnmaskAnswer')
export type UnmaskAnswer = t.TypeOf<typeof UnmaskAnswer>

/** The documents of one chat. Events and deliveries are the newest ones, the newest first. */
type Story = {
  readonly chat: ChatDocument | undefined
  readonly conversation: ConversationDocument | undefined
  readonly sessions: ReadonlyArray<SessionDocument>
  readonly deliveries: ReadonlyArray<DeliveryDocument>
  readonly events: ReadonlyArray<TimelineDocument>
  /** Where older events begin, if there are any. */
  readonly earlier: End | undefined
}

const maxEvents = 500
const maxSessions = 200

const chatOf = (chat: Chat): Find<ChatDocument> => ({
  view: 'chats',
  row: ChatDocument,
  where: { _id: chatKey(chat) },
})
const conversationOf = (chat: Chat): Find<ConversationDocument> => ({
  view: 'conversations',
  row: ConversationDocument,
  where: { _id: chatKey(chat) },
})
const sessionsOf = ({ accountId, chatId }: Chat): Find<SessionDocument> => ({
  view: 'sessions',
  row: SessionDocument,
  where: { accountId, chatId },
  sort: { startedAt: -1 },
})
const deliveriesOf = ({ accountId, chatId }: Chat, before: End | undefined): Find<DeliveryDocument> => ({
  view: 'deliveries',
  row: DeliveryDocument,
  where: { accountId, chatId, ...(before && { requestedAt: { $lte: before.at } }) },
  sort: { requestedAt: -1 },
})
const eventsOf = ({ accountId, chatId }: Chat, before: End | undefined): Find<TimelineDocument> => ({
  view: 'timeline',
  row: TimelineDocument,
  where: { accountId, chatId, ...(before && { time: { $lte: before.at }, _id: { $nin: [...before.ids] } }) },
  sort: { time: -1, offset: -1 },
})

/** Reads the story of a chat, before the end of a later page. */
export const storyWith =
  ({ read, readFitting }: Pick<Backend, 'read' | 'readFitting'>) =>
  async (chat: Chat, before?: End): Promise<E.Either<Refusal, Story>> => {
    const found = sequenceT(E.Apply)(
      ...(await Promise.all([
        read(chatOf(chat)),
        read(conversationOf(chat)),
        readFitting(sessionsOf(chat), maxSessions),
        readFitting(deliveriesOf(chat, before), maxEvents),
        readFitting(eventsOf(chat, before), maxEvents),
      ])),
    )
    if (E.isLeft(found)) return found
    const [[one], [conversation], sessions, deliveries, events] = found.right
    return E.right({
      chat: one,
      conversation,
      sessions: sessions.rows,
      deliveries: deliveries.rows,
      events: events.rows,
      earlier: events.areAll ? undefined : pageEnd(events.rows, ({ time }) => time, before),
    })
  }

const chatAnswer = documentAnswer(ChatDocument)
const conversationAnswer = documentAnswer(ConversationDocument)
const sessionAnswer = documentAnswer(SessionDocument)
const deliveryAnswer = documentAnswer(DeliveryDocument)

const unmaskMs = 15 * 60_000

type Asked = Pick<ConsoleRequest, 'session' | 'accountId' | 'chatId'>

/** True if the session has a role that may see personal data of conversations. */
const mayRead = ({ session, accountId }: Asked) =>
  rolesFor(session.grants, accountId).some((role) => readers.includes(role))

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

export const story = part({
  routes: {
    'GET /api/accounts/:account/conversations/:chat': { answer: ConversationAnswer },
    'POST /api/accounts/:account/conversations/:chat/unmask': { answer: UnmaskAnswer, roles: readers },
  },
  handlers: ({
    now,
    read,
    readFitting,
    recordActionOf,
  }: Pick<Backend, 'now' | 'read' | 'readFitting' | 'recordActionOf'>) => {
    const readVersions = versionsWith(read)
    const readStory = storyWith({ read, readFitting })
    return {
      'GET /api/accounts/:account/conversations/:chat': async (request) => {
        const { accountId, chatId, query } = request
        const asked = readQuery(ConversationQuery, query)
        if (E.isLeft(asked)) return asked
        const { before } = asked.right
        const chat = { accountId, chatId }
        // Read the version first: a change during the other reads makes it outdated, so the page requests the story again.
        const versions = await readVersions([chat])
        if (E.isLeft(versions)) return versions
        const found = await readStory(chat, before)
        if (E.isLeft(found)) return found
        if (isEmpty(found.right) && before === undefined) return E.left(unknownChat)
        const version = versions.right.get(chatKey(chat)) ?? ''
        return ok(answerOf(chatId, found.right, version, unmaskedUntil(request, new Date(now()))))
      },
      'POST /api/accounts/:account/conversations/:chat/unmask': async (request) => {
        const { session, accountId, chatId } = request
        if (!Id.is(chatId)) return E.left(unknownChat)
        const recorded = await recordLook(recordActionOf)(request, 'conversation', {
          chat: idText({ kind: 'chat', value: chatId }),
        })
        if (E.isLeft(recorded)) return recorded
        const until = new Date(Date.parse(now()) + unmaskMs)
        await session.unmask({ accountId, chatId, until })
        return ok({ unmaskedUntil: until.toISOString() })
      },
    }
  },
})
