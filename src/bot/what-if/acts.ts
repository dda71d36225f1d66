import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { messageTypes } from '../../../contracts/messages/index.ts'
import { nullable } from '../../../contracts/primitives.ts'

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

/** What a client gets in a turn, in order: the acts of an answer. None is silence. */
export type Acts = ReadonlyArray<Act>

export const handOver: Act = { kind: 'hand-over' }

const Fields = t.partial({
  type: t.string,
  text: nullable(t.string),
  buttons: t.array(t.partial({ id: nullable(t.union([t.string, t.number])) })),
})

/** Of a bot's reply, which the bridge may refuse, and of a message that the log says was delivered. */
export const actOf = (message: unknown, announces: boolean): Act => {
  const decoded = Fields.decode(message)
  const { type = 'unknown', ...fields } = E.isRight(decoded) ? decoded.right : {}
  const known = messageTypes.find((each) => each.type === type && each.words in fields)
  const given = { ...fields, type }
  return {
    kind: 'message',
    type,
    buttons: (fields.buttons ?? []).map(({ id }) => String(id ?? '')),
    words: known === undefined ? (fields.text ?? '') : [known.wordsOf(given), ...known.answersOf(given)].join('\n'),
    announces,
  }
}

/** An act without its words: `TEXT`, `BUTTONS hours, agent`, `hand-over`, `TEXT, more follows`. */
export const shapeOf = (act: Act): string => {
  if (act.kind === 'hand-over') return 'hand-over'
  const buttons = act.buttons.length === 0 ? '' : ` ${act.buttons.join(', ')}`
  return `${act.type}${buttons}${act.announces ? ', more follows' : ''}`
}

const keyOf = (act: Act): unknown =>
  act.kind === 'hand-over' ? [act.kind] : [act.kind, act.type, act.buttons, act.announces]

/** True if both answers have the same acts, whatever their words. */
export const haveSameActs = (one: Acts, other: Acts): boolean =>
  JSON.stringify(one.map(keyOf)) === JSON.stringify(other.map(keyOf))

export const wordsOf = (acts: Acts): ReadonlyArray<string> =>
  acts.map((act) => (act.kind === 'hand-over' ? '' : act.words))

export const haveSameWords = (one: Acts, other: Acts): boolean =>
  JSON.stringify(wordsOf(one)) === JSON.stringify(wordsOf(other))
