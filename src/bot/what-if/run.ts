import * as E from 'fp-ts/lib/Either.js'
import type { ConversationEvent } from '../../../contracts/events/index.ts'
import { inOrder } from '../../bridge/shared/in-order.ts'
import { type Compared, compareChat, type Noise } from './chat.ts'
import type { ErasedMeanwhile } from './erased-meanwhile.ts'
import type { Bot } from './in-process/bot-process.ts'
import type { Verdict } from './judge.ts'
import type { Telling } from './reports/line.ts'
import type { LoggedChat, Skipped, Source } from './source.ts'
import { type Found, tally } from './tally.ts'
import { type TurnRules, turnsOf } from './turns.ts'

export type Asked = {
  /** In ms since 1970: turns that ended then or later, and before `to`. */
  readonly from: number
  readonly to: number
  readonly isExact: boolean
  readonly repeat: number
  /** At most so many chats. */
  readonly chats: number
  readonly accepted: ReadonlySet<string>
  readonly failOn: ReadonlySet<Verdict>
}

export type Deps = Telling & {
  readonly source: Source
  readonly candidate: Bot
  readonly baseline: Bot | undefined
  readonly rules: TurnRules
  readonly erasures: ErasedMeanwhile
  /** Takes the turns of one chat after the other, in the order of the log. */
  readonly write: (chatId: string, compared: ReadonlyArray<Compared>) => void
  /** Called after each chat. */
  readonly onChat: () => void
  readonly signal: AbortSignal
}

/** How many chats are talked in at the same time. */
const chatsAtOnce = 100

/** The first event of each person in the chat, by which an erasure finds it. */
type Persons = { readonly persons: ReadonlyArray<ConversationEvent> }

type Result = { readonly chatId: string } & (
  | { readonly skipped: Skipped }
  | (Persons & { readonly compared: ReadonlyArray<Compared>; readonly noise: Noise })
)

/** A chat with the turns that are asked, or why it is skipped. */
type Turned = { readonly chatId: string } & (
  | { readonly skipped: Skipped }
  | (Persons & { readonly turns: ReadonlyArray<Compared['turn']> })
)

const personsIn = (events: ReadonlyArray<ConversationEvent>): ReadonlyArray<ConversationEvent> => [
  ...new Map(events.toReversed().map((event) => [event.data.clientId, event])).values(),
]

/** At most so many chats that are not skipped. */
async function* turned(chats: AsyncIterable<LoggedChat>, most: number, turn: (chat: LoggedChat) => Turned) {
  let left = most
  for await (const logged of chats) {
    const chat = turn(logged)
    if ('turns' in chat) left--
    yield chat
    if (left === 0) return
  }
}

/**
 * Asks the bots about every chat of the source and adds up what they answer. `erased`: the chats that were erased after
 * they were written; nothing else of the result knows of them.
 */
export const runWhatIf = async (
  deps: Deps,
  asked: Asked,
): Promise<Found & { readonly erased: ReadonlySet<string> }> => {
  const { source, candidate, baseline, rules, erasures, write, onChat, signal, hash } = deps
  const { isExact, repeat } = asked
  const counts = (events: Compared['turn']['events']) => {
    const at = Date.parse((events.at(-1) ?? events[0]).time)
    return at >= asked.from && at < asked.to
  }
  const turnsIn = (chat: LoggedChat): Turned => {
    if ('skipped' in chat) return chat
    const { chatId, events } = chat
    const turns = turnsOf(events, rules)
    const last = turns.findLastIndex((turn) => counts(turn.events))
    return last < 0
      ? { chatId, skipped: 'no-bot-message' }
      : { chatId, turns: turns.slice(0, last + 1), persons: personsIn(events) }
  }
  const talk = async (chat: Turned): Promise<Result> => {
    if ('skipped' in chat) return chat
    const { chatId, turns, persons } = chat
    if (signal.aborted) throw new Error('it was interrupted')
    const result = await compareChat(turns, {
      baseline: baseline?.converse(),
      candidates: Array.from({ length: repeat }, () => candidate.converse()),
      isExact,
      counts: ({ events }) => counts(events),
      isErased: () => erasures.isErased(persons),
    })
    return E.isLeft(result) ? { chatId, skipped: result.left } : { chatId, persons, ...result.right }
  }

  const { add, skip, all } = tally({ ...asked, hash, hasBaseline: baseline !== undefined })
  const persons = new Map<string, ReadonlyArray<ConversationEvent>>()
  const chats = turned(source.chats, asked.chats, turnsIn)
  for await (const result of inOrder(chats, chatsAtOnce, talk)) {
    if ('skipped' in result) skip(result.skipped)
    else {
      persons.set(result.chatId, result.persons)
      write(result.chatId, add(result.chatId, result.compared, result.noise))
    }
    onChat()
  }
  const erased = await erasures.among(persons)
  return { ...all(erased), erased }
}
