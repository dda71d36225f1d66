import { MongoClient } from 'mongodb'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import { eventually } from '../../support/eventually.ts'
import { losing } from '../../support/tampering.ts'
import { unless, wrong } from './findings.ts'
import type { ObservedWorld } from './observed-world.ts'

/**
 * The service finishes chats whose messages are all in the log, and sends their transcripts. The audit must find no
 * difference. Only in the transcript of the last chat the service leaves out the client's messages, and the audit must
 * find that: this proves that the audit detects a difference.
 */
export const unlikeTranscripts = async (
  { service, mongo }: ObservedWorld,
  chats: ReadonlyArray<string>,
  withinMs: number,
): Promise<ReadonlyArray<string>> => {
  const altered = chats.at(-1) ?? ''
  for (const chat of chats) await service.finishChat(chat, chat === altered ? { tamper: losing('client', 0) } : {})
  await using client = await MongoClient.connect(mongo.url)
  const sessions = client.db().collection<SessionDocument>('sessions')
  const made = { kind: 'agent', chatId: { $in: [...chats] }, 'audit.state': { $in: ['compared', 'not-compared'] } }
  const isMade = async () => (await sessions.countDocuments(made as object)) === chats.length || undefined
  await eventually('the audits', isMade, withinMs).catch(() => undefined)
  const found = await sessions.find({ kind: 'agent' }).toArray()
  const audits = new Map(found.map(({ chatId, audit }) => [String(chatId), audit]))
  const textOf = (chat: string) => {
    const { state = 'missing', differences = [], replies = '', reason = '' } = audits.get(chat) ?? {}
    return [state, replies || reason, ...differences.map(({ kind, from }) => `${kind} ${from}`)].join(' ')
  }
  const unlike = chats.filter((chat) => chat !== altered && textOf(chat) !== 'compared compared')
  return [
    ...wrong(
      'transcripts that are not as the log',
      unlike.map((chat) => `${chat} (${textOf(chat)})`),
    ),
    ...unless(
      textOf(altered) === 'compared compared not-in-transcript client',
      `a transcript that was altered: ${textOf(altered)}`,
    ),
  ]
}
