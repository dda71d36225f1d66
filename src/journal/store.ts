import type { OutgoingRecord } from '../domain/ports.ts'
import { serial } from '../shared/serial.ts'
import { checkpointWriter } from './checkpoint.ts'
import { damageReport } from './damage-report.ts'
import { attempt, transient } from './failure.ts'
import { frameSize } from './frame.ts'
import { groupCommit } from './group-commit.ts'
import type { Journal, JournalOptions } from './journal.ts'
import { journalReader } from './reader.ts'
import { encodeRecord } from './record.ts'
import { recover } from './recover.ts'
import type { Segment } from './segment.ts'
import { full, segmentWriter } from './segment-writer.ts'

/** A journal on a directory that exists and is locked: recovery first, then writing and reading side by side. */
export const openStore = async (options: Required<JournalOptions>): Promise<Journal> => {
  const { dir, maxBytes, openFile, log } = options
  const damage = damageReport(dir, openFile, log)
  const { segments, drained, nextPosition } = await recover({ dir, damage, log })
  const writer = segmentWriter({ ...options, segments, nextPosition })
  const reader = journalReader({ segments, drained, damage })
  const checkpoint = checkpointWriter(dir, openFile, log)
  const [writing, reading] = [serial(), serial()]
  const commits = groupCommit((bodies) => writing(() => writer.write(bodies)))
  let closed = false

  const sum = (of: (segment: Segment) => number) => segments.reduce((total, segment) => total + of(segment), 0)
  const records = () => reader.ready().length + sum(({ unread }) => unread)

  const dropWhenEmpty = async () => {
    if (records() > 0) return
    await writer.leave()
    await reader.dropLast()
  }
  const tidy = async () => {
    await reader.fill()
    if (records() === 0) await writing(dropWhenEmpty)
  }
  // What cannot be read now is tried again, and reported, by the drain.
  await tidy().catch(() => undefined)

  const append = async (record: OutgoingRecord) => {
    if (closed) return transient('journal closed')
    const body = encodeRecord(record)
    const used = sum(({ bytes }) => bytes) + commits.bytes()
    return used + frameSize(body) > maxBytes ? full : commits.append(body)
  }

  const remember = async (position: number) => {
    reader.take(position)
    await checkpoint(position)
    await tidy()
  }

  const oldestAt = () => reader.ready()[0]?.appendedAt ?? segments.find(({ unread }) => unread > 0)?.unreadSince

  const close = async () => {
    closed = true
    await commits.settled()
    await writing(writer.leave)
    await reading(async () => undefined)
  }

  return {
    append,
    peek: (most) => attempt('the journal cannot be read', () => reading(() => reader.peek(most))),
    drained: (position) => attempt('the journal cannot be tidied', () => reading(() => remember(position))),
    state: () => {
      const oldest = oldestAt()
      return {
        ...{ records: records(), bytes: sum(({ bytes }) => bytes), damaged: damage.count() },
        ...(oldest !== undefined && { oldestAt: oldest }),
      }
    },
    close,
  }
}
