import type { ConversationEvent } from '../../contracts/events/index.ts'
import type { HistoryMessage } from '../../contracts/http.ts'
import { agentSpan, traceparentAfter } from '../bridge/adapters/tracing.ts'
import { mostHistoryMessages } from '../bridge/domain/chat-history.ts'
import { keyedQueue } from '../bridge/shared/keyed-queue.ts'
import { within } from '../bridge/shared/timeout.ts'
import { chatQueue, isErasure, type Message, type Received, type ReceivedErasure, type Waiting } from './chat-queue.ts'
import { announcementIds, commandsOf } from './commands.ts'
import { respond, wordsOf } from './conversation.ts'
import { askingFor, type ChatAccess, type Outcome } from './handlers.ts'
import { forAnswer, joined, messageOf, mostAnnounced, type ReadHistory } from './history.ts'
import { canBeAnswered } from './mistakes.ts'
import { handOverNoteOf } from './note.ts'
import { handOver, type Reply } from './replies.ts'
import { handleTurn, type TurnOptions } from './turn.ts'

export type ChatOptions = TurnOptions & {
  /** In ms since 1970. */
  readonly now: () => number
  readonly readHistory: ReadHistory
  /** Called with each event that was older than `ignoreOlderThan` when it was received, and is not handled. */
  readonly ignore: (event: ConversationEvent) => void
  /** Called with each outcome of a reply in this chat, also of another bot's. */
  readonly notice: (outcome: Outcome) => void
}

/** The events of one chat. They are handled in their order, and each is finished exactly once. */
export type Chat = {
  readonly receive: (received: Received) => void
  /** Nothing that came before is handled any more. What comes later waits until the chat is forgotten. */
  readonly erase: (received: ReceivedErasure) => void
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

const handleOutcome = async ({ handlers, limits, log }: ChatOptions, event: Outcome): Promise<void> => {
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
export const createChat = (options: ChatOptions): Chat => {
  const { handlers, group, limits, acquire, monotonic, now, readHistory, log, ignore, notice, stopping } = options
  let seen: ReadonlyArray<HistoryMessage> = []
  const outcomeQueue = keyedQueue()
  let running: Promise<void> | undefined

  const isTooOld = (event: ConversationEvent) => now() - Date.parse(event.time) > limits.ignoreOlderThan
  const isTurn = (received: Waiting | ReceivedErasure): received is Message =>
    handlers.onTurn !== undefined &&
    received.event.type === 'ClientMessageReceived' &&
    received.event.receivedTime === undefined &&
    !isErasure(received) &&
    !received.isTooOld
  const queue = chatQueue(isTurn)

  /** `first`: the first of the events that are answered. */
  const accessOf = (first: ConversationEvent): ChatAccess => ({
    history: async (last = 20) => {
      const { accountId, chatId } = first.data
      const most = Math.max(last, Math.min(mostHistoryMessages, last + mostAnnounced))
      const read = await readHistory({ accountId, chatId }, most, seen.at(-1)?.id)
      return forAnswer(joined(read, seen, most), first.id, announcementIds(first, group, mostAnnounced)).slice(-last)
    },
  })
  const spanOf = ({ event: { data }, traceparent }: Received) =>
    agentSpan(traceparent, `${data.accountId}/${data.chatId}`, group)

  /** The note first, so that it is there when an agent accepts the chat. */
  const publishAll = async (received: Received, replies: ReadonlyArray<Reply>, traceparent: string | undefined) => {
    const note = handOverNoteOf(replies)
    if (note !== undefined) await received.attach(note)
    for (const command of commandsOf(received.event, replies, group)) await received.publish(command, traceparent)
  }

  const onEvent = async (received: Waiting): Promise<void> => {
    const { event, receivedAt } = received
    const ask = askingFor(handlers, event, accessOf(event))
    if (ask === undefined) return
    using _permit = await acquire(stopping)
    const timeLeft = () => Math.max(0, receivedAt + limits.replyWithin - monotonic())
    const parts = {
      handlers,
      markdown: limits.markdown,
      log,
      timeLeft,
      span: () => spanOf(received),
      isOver: queue.isErased,
    }
    let { traceparent } = received
    const replies = await respond(parts, event, (span) => {
      traceparent = traceparentAfter(span, received.traceparent)
      return ask()
    })
    await publishAll(received, replies, traceparent)
  }

  /** The kit itself has failed, not a handler. If this fails too, the bot ends. */
  const handOverAfter = async (err: unknown, received: Waiting): Promise<void> => {
    const { event, traceparent } = received
    const { accountId, chatId } = event.data
    log.error({ type: event.type, accountId, chatId, err }, 'the kit could not handle an event')
    if (!canBeAnswered(event) || queue.isTaken()) return
    await publishAll(received, [handOver({ reason: wordsOf({ reason: 'threw', err }) })], traceparent)
  }

  /** Handles what is at the head of the queue. Returns how many events that were. */
  const handle = async (head: Waiting): Promise<number> => {
    try {
      if (isTurn(head)) return await handleTurn(options, queue, head, { accessOf, spanOf, publishAll })
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
        await outcomeQueue.idle()
        await head.forget()
      } else if (head.isTooOld) ignore(head.event)
      else if (!queue.isErased()) handled = await handle(head)
      queue.finish(handled)
    }
    running = undefined
  }
  return {
    receive: (received) => {
      const { event, finish } = received
      const message = messageOf(event)
      if (message !== undefined) seen = [...seen, message].slice(-maxSeen)
      // An outcome may come between two messages of a turn and must not part them.
      if (isOutcome(event)) {
        notice(event)
        return outcomeQueue.add('', () => handleOutcome(options, event).finally(finish))
      }
      queue.add({ ...received, receivedAt: monotonic(), isTooOld: isTooOld(event) })
      running ??= run()
    },
    erase: (received) => {
      seen = []
      queue.add(received)
      running ??= run()
    },
    idle: async () => {
      while (running !== undefined || outcomeQueue.size() > 0) await Promise.all([running, outcomeQueue.idle()])
    },
    isIdle: () => running === undefined && outcomeQueue.size() === 0,
  }
}
