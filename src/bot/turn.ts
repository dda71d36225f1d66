import { type Span, traceparentAfter } from '../bridge/adapters/tracing.ts'
import type { Log } from '../bridge/shared/log.ts'
import type { Acquire } from '../bridge/shared/semaphore.ts'
import { type ChatQueue, type Message, quietAt } from './chat-queue.ts'
import { announcementOf } from './commands.ts'
import { type Asking, type Limits, respond, type Turns } from './conversation.ts'
import { type ChatAccess, type Handlers, repliesIn } from './handlers.ts'
import { announcedOnly, mistakesInAnnouncement } from './mistakes.ts'
import type { Reply } from './replies.ts'

export type TurnOptions = {
  readonly handlers: Handlers
  readonly group: string
  readonly limits: Limits
  readonly turns: Turns
  readonly acquire: Acquire
  /** In ms, of a clock that is never set. */
  readonly monotonic: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly log: Log
  /** Aborts when the bot stops: turns that wait for silence begin at once. */
  readonly stopping: AbortSignal
}

type Asked = {
  /** What the client has written so far, from `first` to `last`. */
  readonly messages: ReadonlyArray<Message>
  readonly first: Message
  readonly last: Message
  /** When the turn began, by `monotonic`. */
  readonly startedAt: number
  /** How many messages earlier attempts at this turn have said. The client reads "one moment" once. */
  readonly said: number
  readonly access: ChatAccess
  /** A span for one call of the handler. */
  readonly span: () => Span | undefined
}

/** `answer` is undefined if the attempt was aborted. */
type Ended = {
  readonly said: number
  readonly answer: ReadonlyArray<Reply> | undefined
  /** The trace of the answer. */
  readonly traceparent: string | undefined
}

type Attempt = {
  /** Resolves when the bot has answered, or has no time left. */
  readonly answered: Promise<void>
  /** True once it has answered or was aborted. */
  readonly isOver: () => boolean
  /** The answer is no longer wanted. */
  readonly abort: () => void
  /** Waits until Kafka has what was said. */
  readonly end: () => Promise<Ended>
  /** Aborts a call that took too long and still runs. */
  readonly stop: () => void
}

/** Asks `onTurn` about the messages of a turn, and publishes what it says before its answer. */
const attemptTurn = ({ handlers, group, limits, monotonic, log }: TurnOptions, asked: Asked): Attempt => {
  const { messages, first, last, startedAt, access, span } = asked
  const controller = new AbortController()
  const { signal } = controller
  let { said } = asked
  let sayings = Promise.resolve()
  let hasSaid = said > 0
  let isAnswering = false
  let { traceparent } = last
  let replies: ReadonlyArray<Reply> | undefined
  const timeLeft = () => Math.max(0, startedAt + limits.replyWithin * (hasSaid ? 2 : 1) - monotonic())

  /** Publishes what is said, once, whichever call of the handler says it. */
  const announce = (reply: Reply, place: number): Promise<void> => {
    hasSaid = true
    if (place < said) return sayings
    said = place + 1
    const command = announcementOf([first.event, last.event], reply, place, group)
    if (command !== undefined) sayings = sayings.then(() => last.publish(command, traceparent))
    return sayings
  }
  const refuse = (mistakes: ReadonlyArray<string>): Promise<void> => {
    const { accountId, chatId } = last.event.data
    log.warn(
      { type: last.event.type, accountId, chatId, reason: 'mistakes', mistakes },
      'the bridge would not send what the bot says',
    )
    const refused = Promise.reject(new TypeError(`say: ${mistakes.join('; ')}`))
    // A handler that does not wait for it must not end the process.
    refused.catch(() => {})
    return refused
  }

  const events = messages.map(({ event }) => event)
  const asking: Asking = async (ofCall) => {
    traceparent = traceparentAfter(ofCall, last.traceparent)
    let place = 0
    let isOver = false
    const say = (reply: Reply): Promise<void> => {
      if (signal.aborted || isOver || timeLeft() === 0) return Promise.resolve()
      const mistakes = mistakesInAnnouncement(last.event, reply, limits.markdown)
      return mistakes.length > 0 ? refuse(mistakes) : announce(reply, place++)
    }
    isAnswering = true
    try {
      const given = repliesIn(await handlers.onTurn?.({ messages: events, signal, say, ...access }, access))
      if (place > 0 && given.length === 0) throw new TypeError(announcedOnly)
      return given
    } finally {
      isOver = true
      isAnswering = false
    }
  }
  const parts = { handlers, markdown: limits.markdown, log, timeLeft, span, isOver: () => signal.aborted }
  const answered = respond(parts, last.event, asking).then((given) => {
    replies = given
  })
  return {
    answered,
    isOver: () => replies !== undefined || signal.aborted,
    abort: () => controller.abort(),
    end: async () => {
      await sayings
      return { said, answer: signal.aborted ? undefined : (replies ?? []), traceparent }
    },
    stop: () => {
      if (isAnswering) controller.abort()
    },
  }
}

type OfChat = {
  readonly accessOf: (first: Message['event']) => ChatAccess
  readonly spanOf: (received: Message) => Span | undefined
  readonly publishAll: (
    received: Message,
    replies: ReadonlyArray<Reply>,
    traceparent: string | undefined,
  ) => Promise<void>
}

/** Waits until the client has been silent, or has written long enough. */
const untilQuiet = async ({ turns, monotonic, sleep, stopping }: TurnOptions, queue: ChatQueue, startedAt: number) => {
  for (;;) {
    const waitMs = quietAt(queue.messages().at(-1)?.receivedAt ?? 0, startedAt, turns) - monotonic()
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
  options: TurnOptions,
  queue: ChatQueue,
  first: Message,
  { accessOf, spanOf, publishAll }: OfChat,
): Promise<number> => {
  const { turns, acquire, monotonic, stopping } = options
  const startedAt = first.receivedAt
  // What was said counts on when the turn begins again: the client reads "one moment" once.
  let said = 0
  for (;;) {
    await untilQuiet(options, queue, startedAt)
    using _permit = await acquire(stopping)
    const messages = queue.messages()
    const last = messages.at(-1) ?? first
    if (queue.isTaken()) return messages.length
    const span = () => spanOf(last)
    const attempt = attemptTurn(options, {
      messages,
      first,
      last,
      startedAt,
      said,
      access: accessOf(first.event),
      span,
    })
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
