import type { ConversationEvent } from '../../contracts/events/index.ts'
import type { HistoryMessage } from '../../contracts/http.ts'
import { agentSpan, traceparentAfter } from '../bridge/adapters/tracing.ts'
import { keyedQueue } from '../bridge/shared/keyed-queue.ts'
import type { Log } from '../bridge/shared/log.ts'
import type { Acquire } from '../bridge/shared/semaphore.ts'
import { within } from '../bridge/shared/timeout.ts'
import { chatQueue, isErasure, type Message, type Waiting } from './chat-queue.ts'
import { commandsOf } from './commands.ts'
import { type Limits, respond, type Turns, wordsOf } from './conversation.ts'
import { askingFor, type ChatAccess, type Handlers, type Outcome } from './handlers.ts'
import type { Heard, HeardErasure } from './heard.ts'
import { joined, messageOf, type ReadHistory } from './history.ts'
import { canBeAnswered } from './mistakes.ts'
import { handOverNoteOf } from './note.ts'
import { handOver, type Reply } from './replies.ts'
import { handleTurn } from './turn.ts'

export type ChatDeps = {
  readonly handlers: Handlers
  readonly group: string
  readonly limits: Limits
  readonly turns: Turns
  readonly acquire: Acquire
  /** In ms, of a clock that is never set. */
  readonly monotonic: () => number
  /** In ms since 1970. */
  readonly now: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly readHistory: ReadHistory
  readonly log: Log
  /** Called with each event that was older than `ignoreOlderThan` when it was heard, and is not handled. */
  readonly ignore: (event: ConversationEvent) => void
  /** Aborts when the bot stops: turns that wait for silence begin at once. */
  readonly stopping: AbortSignal
}

/** The events of one chat. They are handled in their order, and each is finished exactly once. */
export type Chat = {
  readonly hear: (heard: Heard) => void
  /** Nothing that came before is handled any more. What comes later waits until the chat is forgotten. */
  readonly erase: (heard: HeardErasure) => void
  /** Resolves when every event is finished. */
  readonly idle: () => Promise<void>
  readonly isIdle: () => boolean
}

const outcomes: ReadonlySet<ConversationEvent['type']> = new Set([
  'BotReplyDelivered',
  'BotReplyFailed',
  'BotReplySuppressed',
])
const isOutcome = (event: ConversationEvent): event is Outcome => outcomes.has(event.type)
/** How many messages a chat remembers that is not idle. */
const maxSeen = 100

const handleOutcome = async ({ handlers, limits, log }: ChatDeps, event: Outcome): Promise<void> => {
  if (event.data.because !== undefined || handlers.onOutcome === undefined) return
  const { replyWithin } = limits
  const tooSlow = () => Promise.reject(new Error(`it took longer than ${replyWithin} ms`))
  try {
    // Its offset waits for it, and with it all later ones of the partition.
    await within(replyWithin, Promise.resolve(handlers.onOutcome(event)), tooSlow)
  } catch (err) {
    const { accountId, chatId, commandId } = event.data
    log.error({ type: event.type, accountId, chatId, commandId, err }, 'onOutcome of the bot has failed')
  }
}

/** Handles the events of a chat. */
export const createChat = (deps: ChatDeps): Chat => {
  const { handlers, group, limits, acquire, monotonic, now, readHistory, log, ignore, stopping } = deps
  let seen: ReadonlyArray<HistoryMessage> = []
  const telling = keyedQueue()
  let running: Promise<void> | undefined

  const isTooOld = (event: ConversationEvent) => now() - Date.parse(event.time) > limits.ignoreOlderThan
  const isTurn = (heard: Waiting | HeardErasure): heard is Message =>
    handlers.onTurn !== undefined &&
    heard.event.type === 'ClientMessageReceived' &&
    heard.event.receivedTime === undefined &&
    !isErasure(heard) &&
    !heard.isTooOld
  const queue = chatQueue(isTurn)

  const accessOf = ({ data: { accountId, chatId } }: ConversationEvent): ChatAccess => ({
    history: async (last = 20) => {
      const read = await readHistory({ accountId, chatId }, last, seen.at(-1)?.id)
      return joined(read, seen, last)
    },
  })
  const spanOf = ({ event: { data }, traceparent }: Heard) =>
    agentSpan(traceparent, `${data.accountId}/${data.chatId}`, group)

  /** The note first, so that it is there when an agent accepts the chat. */
  const publishAll = async (heard: Heard, replies: ReadonlyArray<Reply>, traceparent: string | undefined) => {
    const note = handOverNoteOf(replies)
    if (note !== undefined) await heard.attach(note)
    for (const command of commandsOf(heard.event, replies, group)) await heard.publish(command, traceparent)
  }

  const onEvent = async (heard: Waiting): Promise<void> => {
    const { event, heardAt } = heard
    const ask = askingFor(handlers, event, accessOf(event))
    if (ask === undefined) return
    using _permit = await acquire(stopping)
    const timeLeft = () => Math.max(0, heardAt + limits.replyWithin - monotonic())
    const parts = { handlers, log, timeLeft, span: () => spanOf(heard), isOver: queue.isErased }
    let { traceparent } = heard
    const replies = await respond(parts, event, (span) => {
      traceparent = traceparentAfter(span, heard.traceparent)
      return ask()
    })
    await publishAll(heard, replies, traceparent)
  }

  /** The kit itself has failed, not a handler. If this fails too, the bot ends. */
  const handOverAfter = async (err: unknown, heard: Waiting): Promise<void> => {
    const { event, traceparent } = heard
    const { accountId, chatId } = event.data
    log.error({ type: event.type, accountId, chatId, err }, 'the kit could not handle an event')
    if (!canBeAnswered(event) || queue.isTaken()) return
    await publishAll(heard, [handOver({ reason: wordsOf({ reason: 'threw', err }) })], traceparent)
  }

  /** Handles what is at the head of the queue. Returns how many events that were. */
  const handle = async (head: Waiting): Promise<number> => {
    try {
      if (isTurn(head)) return await handleTurn(deps, queue, head, { accessOf, spanOf, publishAll })
      await onEvent(head)
      return 1
    } catch (err) {
      const messages = queue.messages()
      await handOverAfter(err, messages.at(-1) ?? head)
      return Math.max(1, messages.length)
    }
  }

  const run = async (): Promise<void> => {
    // So that `running` is set before the loop can end.
    await Promise.resolve()
    for (let head = queue.head(); head !== undefined; head = queue.head()) {
      let handled = 1
      if (isErasure(head)) {
        await telling.idle()
        await head.forget()
      } else if (head.isTooOld) ignore(head.event)
      else if (!queue.isErased()) handled = await handle(head)
      queue.finish(handled)
    }
    running = undefined
  }
  return {
    hear: (heard) => {
      const { event, finish } = heard
      const message = messageOf(event)
      if (message !== undefined) seen = [...seen, message].slice(-maxSeen)
      // An outcome may come between two messages of a turn and must not part them.
      if (isOutcome(event)) return telling.add('', () => handleOutcome(deps, event).finally(finish))
      queue.add({ ...heard, heardAt: monotonic(), isTooOld: isTooOld(event) })
      running ??= run()
    },
    erase: (heard) => {
      seen = []
      queue.add(heard)
      running ??= run()
    },
    idle: async () => {
      while (running !== undefined || telling.size() > 0) await Promise.all([running, telling.idle()])
    },
    isIdle: () => running === undefined && telling.size() === 0,
  }
}
