import type { IncomingRecord } from '../../../bridge/domain/log/record.ts'
import { sleep } from '../../../bridge/shared/time.ts'
import type { Place } from './commits.ts'
import { type Command, commandOf } from './replies.ts'

/** Those that answer these messages, or no message. */
export const answersTo = <C extends Pick<Command, 'inReplyTo'>>(
  commands: ReadonlyArray<C>,
  messages: ReadonlySet<string>,
): ReadonlyArray<C> => commands.filter(({ inReplyTo }) => inReplyTo === undefined || messages.has(inReplyTo))

/** What was read of both topics and is still needed, by the record key of the chat. */
export const recordsRead = (signal: AbortSignal) => {
  const places = new Map<string, Place>()
  const commands = new Map<string, ReadonlyArray<Command>>()
  const positions = new Map<number, number>()
  return {
    takeEvent: ({ headers, key, partition, offset }: IncomingRecord): void =>
      void places.set(`${key} ${headers.ce_id}`, { partition, offset }),
    takeReply: (record: IncomingRecord): void => {
      const [key, command] = [`${record.key}`, commandOf(record)]
      const known = commands.get(key) ?? []
      if (!known.some(({ id }) => id === command.id)) commands.set(key, [...known, command])
      positions.set(record.partition, record.offset + 1)
    },
    /** Where an event is. Waits until it is read. */
    placeOf: async (key: string, eventId: string): Promise<Place> => {
      for (;;) {
        const place = places.get(`${key} ${eventId}`)
        if (place !== undefined) return place
        if (signal.aborted) throw new Error('it was interrupted')
        await sleep(10)
      }
    },
    /** Waits until the replies are read up to these offsets. */
    repliesUpTo: async (ends: ReadonlyMap<number, number>): Promise<void> => {
      const isThere = () => [...ends].every(([partition, end]) => (positions.get(partition) ?? 0) >= end)
      // A transaction's marker takes an offset and is never read.
      for (let tries = 40; tries > 0 && !isThere(); tries--) await sleep(50)
    },
    /** The commands of a chat that answer these events. All of the chat, and the places of `done`, are forgotten. */
    answers: (key: string, asked: ReadonlySet<string>, done: ReadonlyArray<string>): ReadonlyArray<Command> => {
      const given = answersTo(commands.get(key) ?? [], asked)
      commands.delete(key)
      for (const id of done) places.delete(`${key} ${id}`)
      return given
    },
  }
}
