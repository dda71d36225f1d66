import { writers } from '../../../contracts/events/chat.ts'
import { chats } from '../../../contracts/views/chat.ts'
import { sessions } from '../../../contracts/views/session.ts'
import { timeline } from '../../../contracts/views/timeline.ts'

/** A stage or an expression of MongoDB's aggregation. */
type Document = Readonly<Record<string, unknown>>
type FlatView = { readonly viewOn: string; readonly pipeline: ReadonlyArray<Document> }

const has = (field: string): Document => ({ $ne: [{ $type: `$${field}` }, 'missing'] })
const first = (list: string, field: string): Document => ({ $first: `$${list}.${field}` })

const isBot: Document = { $eq: ['$kind', 'bot'] }
/** A column of a bot's session that its own events lack: the chat of the same id has it, if an agent took part. */
const ofChat = (own: string, field: string): Document => ({
  $cond: [isBot, { $first: `$chat.${field}` }, `$${own}`],
})

/** The chat of the same id, and the agent's session that began during or after a bot's session, before the next one. */
const linked: ReadonlyArray<Document> = [
  {
    $lookup: {
      from: chats.name,
      localField: 'chat',
      foreignField: '_id',
      let: { kind: '$kind' },
      pipeline: [
        { $match: { $expr: { $eq: ['$$kind', 'bot'] } } },
        { $project: { widgetId: 1, utm: '$session.utmJson' } },
      ],
      as: 'chat',
    },
  },
  {
    $lookup: {
      from: sessions.name,
      let: {
        kind: '$kind',
        accountId: '$accountId',
        chatId: '$chatId',
        from: '$startedAt',
        // Without a next session: a time after all others.
        until: { $ifNull: ['$nextStartedAt', new Date(8.64e15)] },
      },
      pipeline: [
        {
          $match: {
            kind: 'agent',
            $expr: {
              $and: [
                { $eq: ['$$kind', 'bot'] },
                { $eq: ['$accountId', '$$accountId'] },
                { $eq: ['$chatId', '$$chatId'] },
                { $gte: ['$startedAt', '$$from'] },
                { $lt: ['$startedAt', '$$until'] },
              ],
            },
          },
        },
        { $sort: { startedAt: 1 } },
        { $limit: 1 },
        { $project: { acceptedAt: 1 } },
      ],
      as: 'agentSession',
    },
  },
]

const sessionRows: FlatView = {
  viewOn: sessions.name,
  pipeline: [
    { $set: { chat: { $concat: ['$accountId', '/', '$chatId'] } } },
    ...linked,
    {
      $project: {
        accountId: 1,
        chatId: 1,
        kind: 1,
        number: 1,
        clientId: 1,
        visitorNumber: 1,
        channelId: 1,
        channelType: 1,
        startedAt: 1,
        acceptedAt: 1,
        lastEventAt: 1,
        outcome: 1,
        ending: 1,
        endedBy: 1,
        // An open bot session has its endsAt in the future.
        endedAt: { $cond: [{ $lte: ['$endsAt', '$$NOW'] }, '$endsAt', '$$REMOVE'] },
        clientMessages: 1,
        replies: 1,
        turns: 1,
        firstResponseMs: 1,
        waitMs: 1,
        handleMs: 1,
        rate: 1,
        rating: 1,
        blacklisted: 1,
        interventions: 1,
        repliesFailed: 1,
        repliesSuppressed: 1,
        agents: { $size: '$agents' },
        agentId: first('agents', 'id'),
        agentName: first('agents', 'name'),
        invitations: { $size: '$invitations' },
        invitedBy: first('invitations', 'by'),
        invitedAt: first('invitations', 'at'),
        joinedAt: { $last: '$invitations.joinedAt' },
        queueMs: { $last: '$invitations.queueMs' },
        agentSessionId: first('agentSession', '_id'),
        agentAcceptedAt: first('agentSession', 'acceptedAt'),
        // Without its query, which may hold personal data.
        page: {
          $cond: [has('pageUrl'), { $first: { $split: [{ $first: { $split: ['$pageUrl', '?'] } }, '#'] } }, '$$REMOVE'],
        },
        widgetId: ofChat('channelId', 'widgetId'),
        utmSource: ofChat('utm.source', 'utm.source'),
        utmMedium: ofChat('utm.medium', 'utm.medium'),
        utmCampaign: ofChat('utm.campaign', 'utm.campaign'),
        utmContent: ofChat('utm.content', 'utm.content'),
        utmTerm: ofChat('utm.term', 'utm.term'),
      },
    },
  ],
}

/** The messages of bot and client, from their events: a bot session has no log of its own. */
const botMessages: ReadonlyArray<Document> = [
  { $match: { type: { $in: ['ClientMessageReceived', 'BotReplyDelivered'] }, 'data.message': { $exists: true } } },
  {
    $project: {
      accountId: 1,
      chatId: 1,
      kind: 'bot',
      at: '$time',
      text: '$data.message.text',
      from: {
        $cond: [
          { $eq: ['$type', 'ClientMessageReceived'] },
          'client',
          { $cond: [has('data.because'), 'bridge', 'bot'] },
        ],
      },
    },
  },
]

/** Whose line of a transcript it is, by the service's word for it. */
const writerBranches = Object.entries(writers).map(([word, writer]) => ({
  case: { $eq: ['$messages.type', word] },
  then: writer,
}))

const messageRows: FlatView = {
  viewOn: chats.name,
  pipeline: [
    { $unwind: { path: '$messages', includeArrayIndex: 'index' } },
    {
      $project: {
        _id: { $concat: ['$_id', '/', { $toString: '$index' }] },
        accountId: 1,
        chatId: 1,
        kind: 'agent',
        at: '$messages.timestamp',
        text: '$messages.message',
        from: { $switch: { branches: writerBranches, default: 'unknown' } },
        agentId: '$messages.agentId',
      },
    },
    { $unionWith: { coll: timeline.name, pipeline: [...botMessages] } },
  ],
}

/**
 * Views of MongoDB itself by their names, one row for each session and each message, for tools that cannot unwind
 * arrays.
 */
export const flatViews: Readonly<Record<string, FlatView>> = {
  analytics_sessions: sessionRows,
  analytics_messages: messageRows,
}
