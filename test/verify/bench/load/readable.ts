import { MongoClient } from 'mongodb'
import { eventually } from '../../../support/eventually.ts'
import type { ChatEvent } from './bodies.ts'
import { type Latency, latencies } from './latencies.ts'

/** The collection `chats` of a participant: its fields with a chat's id, and with the number of the chat's newest event. */
export type ChatDocuments = { readonly databaseUrl: string; readonly chat: string; readonly number: string }

export type Answered = ChatEvent & { readonly since: number }
type Read = ChatEvent & { readonly at: number }

export type Readable = {
  /** How many events never came into their documents. */
  readonly missing: number
  /** From the time when an event was due until its document could be read. */
  readonly latency: Latency
}

/** An event can be read when the document of its chat first has it, or a later one of the chat. */
export const firstRead = (reads: ReadonlyArray<Read>, { number }: ChatEvent): number | undefined =>
  reads.find((read) => read.number >= number)?.at

/**
 * Observes the documents from now on by a change stream of mongod, which reads each changed document when a majority
 * has the change. Polling would take more of mongod's time, the longer an event takes.
 */
export const observeChats = async ({ databaseUrl, chat, number }: ChatDocuments) => {
  const client = await MongoClient.connect(databaseUrl)
  const fields = { chat: { $toString: `$fullDocument.${chat}` }, number: `$fullDocument.${number}` }
  const stream = client
    .db()
    .collection('chats')
    .watch<ChatEvent>([{ $project: fields }], { fullDocument: 'updateLookup' })
  const reads = new Map<string, Read[]>()
  const isOpen = Promise.withResolvers<void>()
  stream.once('resumeTokenChanged', () => isOpen.resolve())
  stream.once('error', isOpen.reject)
  stream.on('change', (change: unknown) => {
    const { chat, number } = change as ChatEvent
    const read = { chat, number, at: performance.now() }
    const earlier = reads.get(chat)
    if (earlier === undefined) reads.set(chat, [read])
    else earlier.push(read)
  })
  await isOpen.promise
  return {
    /** Waits until each of these events can be read. */
    until: async (events: ReadonlyArray<Answered>): Promise<Readable> => {
      const readAt = (event: ChatEvent) => firstRead(reads.get(event.chat) ?? [], event)
      const missing = () => events.filter((event) => readAt(event) === undefined).length
      await eventually('the events in their documents', () => missing() === 0, 120_000).catch(() => {})
      await stream.close()
      await client.close()
      const { record, summary } = latencies()
      for (const event of events) {
        const at = readAt(event)
        if (at !== undefined) record(at - event.since)
      }
      return { missing: missing(), latency: summary() }
    },
  }
}
