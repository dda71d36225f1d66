import type { DomainEvent } from '../../../../contracts/events/index.ts'
import type { OwnedPartition } from '../../../../src/bridge/domain/log/consumer.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'

type Topic = 'bot-replies' | 'bot-conversations'

/** One partition of both topics in memory, with the offsets that a group has committed. */
export const memoryLog = (nowMs: () => number) => {
  const records: Record<Topic, IncomingRecord[]> = { 'bot-replies': [], 'bot-conversations': [] }
  const committed: Record<Topic, number> = { 'bot-replies': 0, 'bot-conversations': 0 }
  const events: DomainEvent[] = []

  const append = (topic: Topic, key: string | null, value: unknown) => {
    const offset = records[topic].length
    const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
    const record = { topic, partition: 0, offset, timestamp: nowMs(), value: bytes, headers: {} }
    records[topic].push({ ...record, key: key === null ? null : Buffer.from(key) })
    return offset
  }
  return {
    records,
    committed,
    events,
    append,
    appendEvent: (event: DomainEvent) => {
      events.push(event)
      return append('bot-conversations', `${event.data.accountId}/${event.subject}`, event)
    },
  }
}
export type MemoryLog = ReturnType<typeof memoryLog>

/** A partition of one topic, as its current owner has it. It counts the open pauses. */
export const ownership = (log: MemoryLog, topic: Topic) => {
  let isCurrent = true
  let pauses = 0
  const partition: OwnedPartition = {
    isCurrent: () => isCurrent,
    done: (offset) => {
      log.committed[topic] = Math.max(log.committed[topic], offset + 1)
    },
    pause: () => {
      pauses += 1
      return () => {
        pauses -= 1
      }
    },
  }
  return {
    partition,
    isPaused: () => pauses > 0,
    lose: () => {
      isCurrent = false
    },
  }
}
