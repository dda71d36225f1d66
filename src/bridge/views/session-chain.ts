import type { ChatEvent, ConversationEvent } from '../../../contracts/events/index.ts'
import type { Id } from '../../../contracts/primitives.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { maxOfSession, type SessionDocument } from '../../../contracts/views/session.ts'
import type { TranscriptAudit } from '../../../contracts/views/transcript-audit.ts'
import { applyGuarded, type Guard } from './applied.ts'
import type { Recorded } from './document.ts'
import { documentId, present } from './fields.ts'

/** The sessions after an event: the present one, or the closed present one and the next one. The newest is last. */
export type Sessions = ReadonlyArray<SessionDocument>

type SessionEvent = Dated<ChatEvent | ConversationEvent>
type Kind = SessionDocument['kind']

/** The channel of a session for which the service names none. */
export const unknownChannel = 'unknown' as Id

/** An audit that is due. */
export const auditDue: TranscriptAudit = { state: 'due', differences: [] }

/** `acme/2037/agent`: the name of the chain of all sessions of a chat and kind. */
export const chainId = (event: Pick<SessionEvent, 'data' | 'subject'>, kind: Kind): string =>
  `${documentId(event)}/${kind}`

/** Whether a session has ended at a time. */
export const isOver = ({ endsAt }: Pick<SessionDocument, 'endsAt'>, at: Date): boolean =>
  endsAt !== undefined && endsAt <= at

const previousAcceptance = (before: SessionDocument | undefined) => {
  const previousAcceptedAt = before?.acceptedAt ?? before?.previousAcceptedAt
  return previousAcceptedAt === undefined ? {} : { previousAcceptedAt }
}

/** An empty session that begins with an event. `before` is the newest session of its chat and kind so far. */
export const begin = (
  first: Pick<SessionDocument, 'kind' | 'outcome' | 'channelId'>,
  before: SessionDocument | undefined,
  event: SessionEvent,
  guard: Guard,
): SessionDocument => {
  const chain = chainId(event, first.kind)
  const number = (before?.number ?? 0) + 1
  const { applied, seen, seenEarlier, contentHash } = guard
  return {
    _id: `${chain}/${number}`,
    latestOf: chain,
    number,
    ...first,
    accountId: event.data.accountId,
    chatId: event.data.chatId,
    applied,
    seen,
    ...(seenEarlier !== undefined && { seenEarlier }),
    ...(contentHash !== undefined && { contentHash }),
    startedAt: event.time,
    lastEventAt: event.time,
    ...previousAcceptance(before),
    ...(before && { previousStartedAt: before.startedAt }),
    ...(before?.endsAt && { previousEndedAt: before.endsAt }),
    ...(before && present(before, 'logStartedAt', 'logMessages')),
    endedBy: 'unknown',
    clientMessages: 0,
    replies: 0,
    responseTimesMs: [],
    turns: 0,
    agents: [],
    invitations: [],
  }
}

/** A session that the next one follows. It gets no more events, so it needs no notes about the events that it has. */
const closed = (session: SessionDocument, next: SessionDocument): SessionDocument => {
  const { latestOf, seenEarlier, contentHash, ...rest } = session
  // Only silence ends a session without an event of its own.
  const { ending = 'silence' } = rest
  return { ...rest, ending, applied: next.applied, seen: [], nextStartedAt: next.startedAt }
}

/** The session with the time of one more answered turn. */
export const withTurn = (session: SessionDocument, ms: number): SessionDocument => ({
  ...session,
  turns: session.turns + 1,
  responseTimesMs: [...session.responseTimesMs, ms].slice(0, maxOfSession.responseTimes),
  ...(session.firstResponseMs === undefined && { firstResponseMs: ms }),
})

/**
 * A new version of a session may have an outdated audit, so the audit is due again. The fold itself compares nothing,
 * because it has the events of one topic only (transcript-audit.ts).
 */
const due = (session: SessionDocument): SessionDocument =>
  session.audit === undefined ? session : { ...session, audit: auditDue }

/**
 * The sessions after a record, by a pure fold of the newest one. Guarded as contracts/views/applied.ts describes.
 * `fold` returns the newest session after the event: the same one, or the next one, made by `begin`. The first event of
 * a chain always makes a session, even if it has nothing to count, because a document must remember which records it
 * has.
 */
export const evolveSessions = <E extends SessionEvent>(
  current: SessionDocument | undefined,
  recorded: Recorded & { readonly event: E },
  fold: (before: SessionDocument | undefined, event: E, guard: Guard) => SessionDocument,
): Sessions => {
  const newest = applyGuarded(current, recorded, (guard) => fold(current, recorded.event, guard))
  if (newest === current) return [newest]
  return (current === undefined || newest._id === current._id ? [newest] : [closed(current, newest), newest]).map(due)
}
