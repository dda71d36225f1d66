import type { ChatErased, ClientMessageReceived, ConversationEvent } from '../../contracts/events/index.ts'
import type { HistoryMessage } from '../../contracts/http.ts'
import { agentSpan, traceparentAfter } from '../adapters/tracing.ts'
import type { Log } from '../domain/ports.ts'
import { keyedQueue } from '../shared/keyed-queue.ts'
import type { Acquire } from '../shared/semaphore.ts'
import { within } from '../shared/timeout.ts'
import { commandsOf } from './commands.ts'
import { type Limits, respond, type Turns } from './conversation.ts'
import { askingFor, type ChatAccess, type Handlers, type Outcome } from './handlers.ts'
import type { Heard, HeardErasure } from './heard.ts'
import { joined, messageOf, type ReadHistory } from './history.ts'
import { noteIn } from './note.ts'
import type { Reply } from './replies.ts'
import { attemptTurn } from './turn-attempt.ts'

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
  /** Called with each event that is older than `ignoreOlderThan`, and is not handled. */
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

type Message = Heard<ClientMessageReceived> & { readonly heardAt: number }
type Waiting = Heard & { readonly heardAt: number }
const isErasure = (heard: Waiting | HeardErasure): heard is HeardErasure => heard.event.type === 'ChatErased'

const outcomes: ReadonlySet<ConversationEvent['type']> = new Set([
  'BotReplyDelivered',
  'BotReplyFailed',
  'BotReplySuppressed',
])
const isOutcome = (event: ConversationEvent): event is Outcome => outcomes.has(event.type)
/** How many messages a chat remembers that is not idle. */
const maxSeen = 100

const ends: ReadonlySet<(ConversationEvent | ChatErased)['type']> = new Set([
  'AgentInvited',
  'AgentJoined',
  'ChatClosed',
  'ChatErased',
])

/**
 * Handles the events of a chat. `wake` is called by each new event, so a turn that waits for silence, or a handler
 * that runs, learns of it at once.
 */
export const createChat = (deps: ChatDeps): Chat => {
  const { handlers, group, limits, turns, acquire, monotonic, now, sleep, readHistory, log, ignore, stopping } = deps
  const queue: (Waiting | HeardErasure)[] = []
  let seen: ReadonlyArray<HistoryMessage> = []
  const telling = keyedQueue()
  let running: Promise<void> | undefined
  let wake = () => {}

  const isTooOld = ({ event }: Heard) => now() - Date.parse(event.time) > limits.ignoreOlderThan
  const isTurn = (heard: Waiting | HeardErasure): heard is Message =>
    handlers.onTurn !== undefined &&
    heard.event.type === 'ClientMessageReceived' &&
    heard.event.receivedTime === undefined &&
    !isErasure(heard) &&
    !isTooOld(heard)
  /** The messages at the head of the queue. */
  const gathered = (): ReadonlyArray<Message> => {
    const end = queue.findIndex((heard) => !isTurn(heard))
    return queue.slice(0, end < 0 ? queue.length : end) as unknown as ReadonlyArray<Message>
  }
  /** True if an event after the messages of the turn takes the chat away from the bot. */
  const isTaken = () => queue.some(({ event }) => ends.has(event.type) && event.receivedTime === undefined)
  const isErased = () => queue.some(isErasure)

  const accessOf = ({ data: { accountId, chatId } }: ConversationEvent): ChatAccess => ({
    history: async (last = 20) => {
      const read = await readHistory({ accountId, chatId }, last, seen.at(-1)?.id)
      return joined(read, seen, last)
    },
  })
  const spanOf = ({ event: { data }, traceparent }: Heard) =>
    agentSpan(traceparent, `${data.accountId}/${data.chatId}`, group)

  const nextEvent = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })

  /** Waits until the client has been silent, or has written long enough. */
  const untilQuiet = async (startedAt: number): Promise<void> => {
    for (;;) {
      const messages = gathered()
      const last = messages.at(-1)
      const due = Math.min((last?.heardAt ?? 0) + turns.quietMs, startedAt + turns.atMostMs)
      const waitMs = due - monotonic()
      if (waitMs <= 0 || stopping.aborted || messages.length < queue.length) return
      const off = new AbortController()
      await Promise.race([nextEvent(), sleep(waitMs, AbortSignal.any([off.signal, stopping]))])
      off.abort()
    }
  }

  /** The note first, so that it is there when an agent accepts the chat. */
  const publishAll = async (heard: Heard, replies: ReadonlyArray<Reply>, traceparent: string | undefined) => {
    const note = noteIn(replies)
    if (note !== undefined) await heard.attach(note)
    for (const command of commandsOf(heard.event, replies, group)) await heard.publish(command, traceparent)
  }

  const onTurn = async (): Promise<void> => {
    const [first] = gathered()
    if (first === undefined) return
    const startedAt = first.heardAt
    // What was said counts on when the turn begins again: the client reads "one moment" once.
    let said = 0
    for (;;) {
      await untilQuiet(startedAt)
      using _permit = await acquire(stopping)
      const messages = gathered()
      const last = messages.at(-1)
      if (last === undefined) return
      const finish = () => {
        for (const message of messages) message.finish()
        queue.splice(0, messages.length)
      }
      if (isTaken()) return finish()
      const span = () => spanOf(last)
      const attempt = attemptTurn(deps, { messages, first, last, startedAt, said, access: accessOf(last.event), span })
      while (!attempt.isOver()) {
        const isNewer = gathered().length > messages.length && monotonic() < startedAt + turns.atMostMs
        if (isNewer || isTaken()) attempt.abort()
        else await Promise.race([attempt.answered, nextEvent()])
      }
      const ended = await attempt.end()
      said = ended.said
      if (ended.answer === undefined && !isTaken()) continue
      if (ended.answer !== undefined) await publishAll(last, ended.answer, ended.traceparent)
      attempt.stop()
      return finish()
    }
  }

  const onOutcome = async (event: Outcome): Promise<void> => {
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
  const onEvent = async (heard: Waiting): Promise<void> => {
    const { event, heardAt } = heard
    const ask = askingFor(handlers, event, accessOf(event))
    if (ask === undefined) return
    using _permit = await acquire(stopping)
    const timeLeft = () => Math.max(0, heardAt + limits.replyWithin - monotonic())
    const parts = { handlers, log, timeLeft, span: () => spanOf(heard), isOver: isErased }
    let { traceparent } = heard
    const replies = await respond(parts, event, (span) => {
      traceparent = traceparentAfter(span, heard.traceparent)
      return ask()
    })
    await publishAll(heard, replies, traceparent)
  }

  const run = async (): Promise<void> => {
    // So that `running` is set before the loop can end.
    await Promise.resolve()
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      if (isTurn(head) && !isErased()) {
        await onTurn()
        continue
      }
      if (isErasure(head)) {
        await telling.idle()
        await head.forget()
      } else if (isTooOld(head)) ignore(head.event)
      else if (!isErased()) await onEvent(head)
      head.finish()
      queue.shift()
    }
    running = undefined
  }
  return {
    hear: (heard) => {
      const { event, finish } = heard
      const message = messageOf(event)
      if (message !== undefined) seen = [...seen, message].slice(-maxSeen)
      // An outcome may come between two messages of a turn and must not part them.
      if (isOutcome(event)) return telling.add('', () => onOutcome(event).finally(finish))
      queue.push({ ...heard, heardAt: monotonic() })
      wake()
      running ??= run()
    },
    erase: (heard) => {
      seen = []
      queue.push(heard)
      wake()
      running ??= run()
    },
    idle: async () => {
      while (running !== undefined || telling.size() > 0) await Promise.all([running, telling.idle()])
    },
    isIdle: () => running === undefined && telling.size() === 0,
  }
}
