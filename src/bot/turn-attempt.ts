import type { ClientMessageReceived } from '../../contracts/events/index.ts'
import { type Span, traceparentAfter } from '../bridge/adapters/tracing.ts'
import type { Log } from '../bridge/shared/log.ts'
import { announcementOf } from './commands.ts'
import { type Asking, type Limits, respond } from './conversation.ts'
import { type ChatAccess, type Handlers, repliesIn } from './handlers.ts'
import type { Heard } from './heard.ts'
import { announcedOnly, mistakesInAnnouncement } from './mistakes.ts'
import type { Reply } from './replies.ts'

export type AttemptDeps = {
  readonly handlers: Handlers
  readonly group: string
  readonly limits: Pick<Limits, 'replyWithin'>
  /** In ms, of a clock that is never set. */
  readonly monotonic: () => number
  readonly log: Log
}

type Message = Heard<ClientMessageReceived>

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
export const attemptTurn = ({ handlers, group, limits, monotonic, log }: AttemptDeps, asked: Asked): Attempt => {
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
      const mistakes = mistakesInAnnouncement(last.event, reply)
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
  const parts = { handlers, log, timeLeft, span, isOver: () => signal.aborted }
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
