import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { shapeOf, wordsOf } from './acts.ts'
import type { Compared } from './chat.ts'
import { type Divergence, isDivergence } from './judge.ts'
import type { Turn } from './turns.ts'

/** What equal changes have in common. `client` is what the client did: a button's id or the type of the message. */
export type Change = {
  readonly verdict: Divergence
  readonly client: string
  readonly from: ReadonlyArray<string>
  readonly to: ReadonlyArray<string>
}

export type Group = Change & {
  /** The same for the same change, in every run. */
  readonly id: string
  readonly isAccepted: boolean
  readonly count: number
  /** The first three, as chat and turn. */
  readonly examples: ReadonlyArray<{ readonly chatId: string; readonly compared: Compared }>
}

const clientDid = ({ events: [first, ...others] }: Turn): string => {
  const event = others.at(-1) ?? first
  if (event.type === 'AgentUnavailable') return event.type
  const { buttonId, type = 'message' } = event.data.message
  return buttonId === undefined ? type : `button ${buttonId}`
}

type Options = {
  readonly isExact: boolean
  /** A text that stands for words and does not tell them. */
  readonly hash: (words: string) => string
}

/** The change in a turn. Undefined if the candidate does not diverge there. */
export const changeOf = (compared: Compared, { isExact, hash }: Options): Change | undefined => {
  const { turn, verdict, observed, baseline, candidate, reason } = compared
  if (!isDivergence(verdict, isExact)) return undefined
  const shapes = (acts: Compared['observed']) =>
    acts.map((act, i) => (isExact ? `${shapeOf(act)} ${hash(wordsOf(acts)[i] ?? '')}` : shapeOf(act)))
  return {
    verdict,
    client: clientDid(turn),
    from: shapes(baseline?.replies ?? observed),
    to: candidate?.failing === undefined ? shapes(candidate?.replies ?? []) : [reason ?? ''],
  }
}

const groupId = ({ verdict, client, from, to }: Change): string =>
  createHash('sha256')
    .update(JSON.stringify([verdict, client, from, to]))
    .digest('hex')
    .slice(0, 12)

const maxExamples = 3

/** Collects equal changes. The groups that are not accepted come first, then the larger ones. */
export const groupsOf = (accepted: ReadonlySet<string>) => {
  const chatsOf = new Map<string, string[]>()
  const groups = new Map<string, Omit<Group, 'count'>>()
  return {
    add: (chatId: string, compared: Compared, change: Change): Omit<Group, 'count'> => {
      const id = groupId(change)
      const { examples = [] } = groups.get(id) ?? {}
      const group = {
        ...change,
        id,
        isAccepted: accepted.has(id),
        examples: examples.length < maxExamples ? [...examples, { chatId, compared }] : examples,
      }
      groups.set(id, group)
      const chats = chatsOf.get(id) ?? []
      chats.push(chatId)
      chatsOf.set(id, chats)
      return group
    },
    /** Without these chats. */
    all: (without: ReadonlySet<string> = new Set()): ReadonlyArray<Group> =>
      [...groups.values()]
        .map((group) => ({
          ...group,
          count: (chatsOf.get(group.id) ?? []).filter((chatId) => !without.has(chatId)).length,
          examples: group.examples.filter(({ chatId }) => !without.has(chatId)),
        }))
        .filter(({ count }) => count > 0)
        .sort((a, b) => Number(a.isAccepted) - Number(b.isAccepted) || b.count - a.count || (a.id < b.id ? -1 : 1)),
  }
}

const AcceptedGroup = t.intersection([
  t.strict({ id: t.string }),
  t.partial({ verdict: t.string, client: t.string, from: t.array(t.string), to: t.array(t.string) }),
])
/** The content of `what-if.accepted.json`. Only `id` counts; the rest is for the people who review it. */
export const AcceptedFile = t.strict({ accepted: t.array(AcceptedGroup) }, 'AcceptedFile')
export type AcceptedFile = t.TypeOf<typeof AcceptedFile>

/** The file with further groups, in a stable order, so that a reviewer sees only what is new. */
export const accepting = ({ accepted }: AcceptedFile, groups: ReadonlyArray<Change & { readonly id: string }>) => {
  const all = new Map(accepted.map((each) => [each.id, each]))
  for (const { id, verdict, client, from, to } of groups)
    all.set(id, { id, verdict, client, from: [...from], to: [...to] })
  return { accepted: [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1)) }
}
