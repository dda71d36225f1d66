import type { ReplyMessage } from '../../../contracts/commands/bot-reply.ts'
import type { Message } from '../../../contracts/events/index.ts'

/**
 * One thing that a bot does in a turn. `words` is what the client reads; acts are compared without it. `announces`: the
 * message only says that the answer follows.
 */
export type Act =
  | {
      readonly kind: 'message'
      readonly type: string
      readonly buttons: ReadonlyArray<string>
      readonly words: string
      readonly announces: boolean
    }
  | { readonly kind: 'hand-over' }

/** What a client gets in a turn, in order. An empty lane is silence. */
export type Lane = ReadonlyArray<Act>

export const handOver: Act = { kind: 'hand-over' }

/** Of a bot's reply, and of a message that the log says was delivered. */
export const actOf = (message: ReplyMessage | Message, announces: boolean): Act => {
  const { type = 'unknown', text, content, title, buttons = [] }: Message = message as Message
  const words = type === 'MARKDOWN' ? content : title === undefined ? text : [title, ...buttons.map((b) => b.text)]
  return {
    kind: 'message',
    type,
    buttons: buttons.map(({ id }) => id ?? ''),
    words: Array.isArray(words) ? words.join('\n') : (words ?? ''),
    announces,
  }
}

/** An act without its words: `TEXT`, `BUTTONS hours, agent`, `hand-over`, `TEXT, more follows`. */
export const shapeOf = (act: Act): string => {
  if (act.kind === 'hand-over') return 'hand-over'
  const buttons = act.buttons.length === 0 ? '' : ` ${act.buttons.join(', ')}`
  return `${act.type}${buttons}${act.announces ? ', more follows' : ''}`
}

/** A lane for people: `TEXT + hand-over`, `silence`. */
export const shapesOf = (lane: Lane): string => (lane.length === 0 ? 'silence' : lane.map(shapeOf).join(' + '))

const keyOf = (act: Act): unknown =>
  act.kind === 'hand-over' ? [act.kind] : [act.kind, act.type, act.buttons, act.announces]

/** True if both lanes have the same acts, whatever their words. */
export const haveSameActs = (one: Lane, other: Lane): boolean =>
  JSON.stringify(one.map(keyOf)) === JSON.stringify(other.map(keyOf))

export const wordsOf = (lane: Lane): ReadonlyArray<string> =>
  lane.map((act) => (act.kind === 'hand-over' ? '' : act.words))

export const haveSameWords = (one: Lane, other: Lane): boolean =>
  JSON.stringify(wordsOf(one)) === JSON.stringify(wordsOf(other))
