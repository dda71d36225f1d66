import * as t from 'io-ts'
import type { ConsoleRoute } from '../../console/access-table.ts'
import * as answers from '../../console/answers.ts'
import { AuditQuery } from '../../console/api/audit.ts'
import { ConversationQuery } from '../../console/api/conversation.ts'
import { ConversationsQuery } from '../../console/api/conversations.ts'
import { DeadLettersQuery } from '../../console/api/dead-letters.ts'
import { DriftQuery } from '../../console/api/drift.ts'
import { StatisticsQuery } from '../../console/api/statistics.ts'

type Media = 'application/json' | 'application/x-ndjson' | 'text/event-stream' | 'text/csv'
type Described = {
  readonly summary: string
  /** For a stream, one line of it. Without a codec the response is text. */
  readonly answer?: t.Mixed
  readonly media?: Media
  readonly body?: t.Mixed
  readonly query?: t.Mixed & { readonly props: t.Props }
}

/** The query, body and response of each route. A missing route does not compile. */
export const consoleRoutes: Readonly<Record<ConsoleRoute, Described>> = {
  'GET /api/session': { summary: 'Who is signed in', answer: answers.SessionAnswer },
  'GET /api/system': { summary: 'The state of the bridge', answer: answers.SystemAnswer },
  'GET /api/accounts/:account/now': { summary: 'What happens now', answer: answers.NowAnswer },
  'GET /api/accounts/:account/conversations': {
    summary: 'Conversations, the newest first',
    answer: answers.ConversationsAnswer,
    query: ConversationsQuery,
  },
  'GET /api/accounts/:account/conversations/:chat': {
    summary: 'The story of a chat, masked unless this session has unmasked it',
    answer: answers.ConversationAnswer,
    query: ConversationQuery,
  },
  'GET /api/accounts/:account/conversations/:chat/live': {
    summary: 'Events that report a new version of the story',
    media: 'text/event-stream',
  },
  'POST /api/accounts/:account/conversations/:chat/unmask': {
    summary: 'Unmask a conversation for this session, for 15 minutes; recorded on audit',
    answer: answers.UnmaskAnswer,
  },
  'POST /api/accounts/:account/record': {
    summary: 'A record as Kafka has it; recorded on audit',
    answer: answers.RecordAnswer,
    body: answers.RecordBody,
  },
  'GET /api/accounts/:account/statistics': {
    summary: 'Statistics by day, agent, widget or bot',
    answer: answers.StatisticsAnswer,
    query: StatisticsQuery,
  },
  'GET /api/accounts/:account/statistics.csv': {
    summary: 'Statistics as CSV',
    media: 'text/csv',
    query: StatisticsQuery,
  },
  'GET /api/accounts/:account/drift': {
    summary: 'Fields, events and values that the contracts do not know',
    answer: answers.DriftAnswer,
    query: DriftQuery,
  },
  'POST /api/accounts/:account/drift/unmask': {
    summary: 'Fields, events and values that the contracts do not know, with examples; recorded on audit',
    answer: answers.DriftAnswer,
    query: DriftQuery,
  },
  'GET /api/accounts/:account/dead-letters': {
    summary: 'Dead letters by cause',
    answer: answers.LettersAnswer,
    query: DeadLettersQuery,
  },
  'POST /api/accounts/:account/dead-letters/show': {
    summary: 'A dead letter, unmasked; recorded on audit',
    answer: answers.LetterAnswer,
    body: answers.ShowBody,
  },
  'POST /api/accounts/:account/dead-letters/redrive': {
    summary: 'Send dead letters back, with progress',
    answer: answers.RedriveLine,
    media: 'application/x-ndjson',
    body: answers.RedriveBody,
  },
  'GET /api/accounts/:account/quarantine': {
    summary: 'Requests in quarantine by cause',
    answer: answers.LettersAnswer,
    query: DeadLettersQuery,
  },
  'POST /api/accounts/:account/quarantine/show': {
    summary: 'A request in quarantine, unmasked; recorded on audit',
    answer: answers.LetterAnswer,
    body: answers.ShowBody,
  },
  'POST /api/accounts/:account/quarantine/redrive': {
    summary: 'Process requests in quarantine again, with progress',
    answer: answers.RedriveLine,
    media: 'application/x-ndjson',
    body: answers.RedriveBody,
  },
  'POST /api/accounts/:account/rebuild': {
    summary: 'Rebuild a view of all accounts, with progress',
    answer: answers.RebuildLine,
    media: 'application/x-ndjson',
    body: answers.RebuildBody,
  },
  'POST /api/accounts/:account/person': {
    summary: 'Find a person; recorded on audit',
    answer: answers.PersonAnswer,
    body: answers.PersonBody,
  },
  'POST /api/accounts/:account/person/export': {
    summary: 'All stored data of a person; recorded on audit',
    answer: t.UnknownRecord,
    body: answers.PersonBody,
  },
  'POST /api/accounts/:account/person/erase': {
    summary: 'Erase a person; the answer is the receipt',
    answer: t.UnknownRecord,
    body: answers.PersonBody,
  },
  'GET /api/accounts/:account/erasures': { summary: 'Receipts of erasures', answer: answers.ErasuresAnswer },
  'GET /api/accounts/:account/audit': { summary: 'Who did what', answer: answers.AuditAnswer, query: AuditQuery },
}
