import type { Span } from '../bridge/adapters/tracing.ts'
import type { Acquire } from '../bridge/shared/semaphore.ts'
import { type ChatQueue, type Message, quietAt } from './chat-queue.ts'
import type { Turns } from './conversation.ts'
import type { ChatAccess } from './handlers.ts'
import type { Reply } from './replies.ts'
import { type AttemptDeps, attemptTurn } from './turn-attempt.ts'

type Deps = AttemptDeps & {
  readonly turns: Turns
  readonly acquire: Acquire
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Aborts when the bot stops: turns that wait for silence begin at once. */
  readonly stopping: AbortSignal
}

type OfChat = {
  readonly accessOf: (event: Message['event']) => ChatAccess
  readonly spanOf: (heard: Message) => Span | undefined
  readonly publishAll: (heard: Message, replies: ReadonlyArray<Reply>, traceparent: string | undefined) => Promise<void>
}

/** Waits until the client has been silent, or has written long enough. */
const untilQuiet = async ({ turns, monotonic, sleep, stopping }: Deps, queue: ChatQueue, startedAt: number) => {
  for (;;) {
    const waitMs = quietAt(queue.messages().at(-1)?.heardAt ?? 0, startedAt, turns) - monotonic()
    if (waitMs <= 0 || stopping.aborted || !queue.hasOnlyMessages()) return
    const off = new AbortController()
    await Promise.race([queue.nextEvent(), sleep(waitMs, AbortSignal.any([off.signal, stopping]))])
    off.abort()
  }
}

/**
 * Answers the messages at the head of the queue, together. A newer message begins the answer again. Returns how many
 * messages it had.
 */
export const handleTurn = async (
  deps: Deps,
  queue: ChatQueue,
  first: Message,
  { accessOf, spanOf, publishAll }: OfChat,
): Promise<number> => {
  const { turns, acquire, monotonic, stopping } = deps
  const startedAt = first.heardAt
  // What was said counts on when the turn begins again: the client reads "one moment" once.
  let said = 0
  for (;;) {
    await untilQuiet(deps, queue, startedAt)
    using _permit = await acquire(stopping)
    const messages = queue.messages()
    const last = messages.at(-1) ?? first
    if (queue.isTaken()) return messages.length
    const span = () => spanOf(last)
    const attempt = attemptTurn(deps, { messages, first, last, startedAt, said, access: accessOf(last.event), span })
    while (!attempt.isOver()) {
      const isNewer = queue.messages().length > messages.length && monotonic() < startedAt + turns.atMostMs
      if (isNewer || queue.isTaken()) attempt.abort()
      else await Promise.race([attempt.answered, queue.nextEvent()])
    }
    const ended = await attempt.end()
    said = ended.said
    if (ended.answer === undefined && !queue.isTaken()) continue
    if (ended.answer !== undefined) await publishAll(last, ended.answer, ended.traceparent)
    attempt.stop()
    return messages.length
  }
}
