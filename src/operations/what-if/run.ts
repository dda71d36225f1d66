import { inOrder } from '../../shared/in-order.ts'
import { type Compared, compareChat, type Noise } from './chat.ts'
import { laneFigures } from './figures.ts'
import { changeOf, type Group, groupsOf } from './groups.ts'
import type { Bot } from './in-process/bot-process.ts'
import { type Verdict, verdicts } from './judge.ts'
import type { TestCase } from './reports/junit.ts'
import type { Telling } from './reports/lanes.ts'
import type { Report } from './reports/report.ts'
import type { LoggedChat, Skipped, Source } from './source.ts'
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
  /** Takes the turns of one chat after the other, in the order of the log. */
  readonly write: (chatId: string, compared: ReadonlyArray<Compared>) => void
  /** Called after each chat. */
  readonly onChat: () => void
  readonly signal: AbortSignal
}

export type Found = Pick<Report, 'chats' | 'turns' | 'groups' | 'new' | 'figures'> & {
  readonly noise: Noise
  readonly cases: ReadonlyArray<TestCase>
}

/** How many chats are talked in at the same time. */
const chatsAtOnce = 100

type Result = { readonly chatId: string } & (
  | { readonly skipped: Skipped }
  | { readonly compared: ReadonlyArray<Compared>; readonly noise: Noise }
)

/** A chat with the turns that are asked, or why it is skipped. */
type Turned = { readonly chatId: string } & (
  | { readonly skipped: Skipped }
  | { readonly turns: ReadonlyArray<Compared['turn']> }
)

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

const resultOf = (
  compared: ReadonlyArray<Compared>,
  groupOf: (each: Compared) => Group | undefined,
  isNew: (group: Group) => boolean,
): TestCase['result'] => {
  for (const each of compared) {
    const group = groupOf(each)
    if (group === undefined || !isNew(group)) continue
    const what = `turn ${each.turn.number}: ${group.from.join(' + ') || 'silence'} → ${group.to.join(' + ') || 'silence'}`
    const message = `${what} (group ${group.id})`
    return { kind: each.verdict === 'threw' ? 'error' : 'failure', type: each.verdict, message }
  }
  const [first] = compared
  return first !== undefined && compared.every(({ verdict }) => verdict === 'not-comparable')
    ? { kind: 'skipped', type: 'not-comparable', message: first.reason ?? '' }
    : { kind: 'passed', type: 'same', message: '' }
}

/** Asks the bots about every chat of the source and adds up what they answer. */
export const runWhatIf = async (deps: Deps, asked: Asked): Promise<Found> => {
  const { source, candidate, baseline, rules, write, onChat, signal, hash } = deps
  const { isExact, repeat, failOn } = asked
  const counts = (events: Compared['turn']['events']) => {
    const at = Date.parse((events.at(-1) ?? events[0]).time)
    return at >= asked.from && at < asked.to
  }
  const turnsIn = (chat: LoggedChat): Turned => {
    if ('skipped' in chat) return chat
    const { chatId, events } = chat
    const turns = turnsOf(events, rules)
    const last = turns.findLastIndex((turn) => counts(turn.events))
    return last < 0 ? { chatId, skipped: 'no-bot-message' } : { chatId, turns: turns.slice(0, last + 1) }
  }
  const talk = async (chat: Turned): Promise<Result> => {
    if ('skipped' in chat) return chat
    const { chatId, turns } = chat
    if (signal.aborted) throw new Error('it was interrupted')
    const { compared, noise } = await compareChat(turns, {
      baseline: baseline?.converse(),
      candidates: Array.from({ length: repeat }, () => candidate.converse()),
      isExact,
      counts: ({ events }) => counts(events),
    })
    return { chatId, compared, noise }
  }

  const groups = groupsOf(asked.accepted)
  const isNew = (group: Group) => !group.isAccepted && failOn.has(group.verdict)
  const figures = { observed: laneFigures(false), baseline: laneFigures(true), candidate: laneFigures(true) }
  const turns = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>
  const skipped: Record<Skipped, number> = { erased: 0, 'late-events': 0, 'agent-first': 0, 'no-bot-message': 0 }
  const cases: TestCase[] = []
  let noise: Noise = { differs: 0, of: 0 }

  const addUp = (chatId: string, compared: ReadonlyArray<Compared>) => {
    const comparable = compared.filter(({ verdict }) => verdict !== 'not-comparable' && verdict !== 'not-compared')
    figures.observed.add(comparable.map(({ observed }) => ({ replies: observed, ms: 0 })))
    figures.baseline.add(comparable.flatMap(({ baseline: old }) => old ?? []))
    figures.candidate.add(
      comparable.flatMap(({ candidate: now }) => (now && { ...now, replies: now.failing ? [] : now.replies }) ?? []),
    )
    const found = new Map<Compared, Group>()
    for (const each of compared) {
      turns[each.verdict]++
      const change = changeOf(each, { isExact, hash })
      if (change !== undefined) found.set(each, groups.add(chatId, each, change))
    }
    const told = compared.map((each) => {
      const group = found.get(each)
      if (group === undefined) return each
      const about = `group ${group.id}${group.isAccepted ? ', accepted' : ''}`
      return { ...each, reason: each.reason === undefined ? about : `${each.reason}; ${about}` }
    })
    write(chatId, told)
    const ms = compared.reduce((sum, { candidate: now }) => sum + (now?.ms ?? 0), 0)
    cases.push({ chatId, ms, result: resultOf(compared, (each) => found.get(each), isNew) })
  }
  const chats = turned(source.chats, asked.chats, turnsIn)
  for await (const result of inOrder(chats, chatsAtOnce, talk)) {
    if ('skipped' in result) skipped[result.skipped]++
    else {
      noise = { differs: noise.differs + result.noise.differs, of: noise.of + result.noise.of }
      addUp(result.chatId, result.compared)
    }
    onChat()
  }
  const all = groups.all()
  return {
    chats: {
      read: cases.length + Object.values(skipped).reduce((sum, each) => sum + each, 0),
      compared: cases.length,
      skipped,
    },
    turns,
    noise,
    groups: all,
    new: all.filter(isNew).length,
    figures: {
      observed: figures.observed.all(),
      ...(baseline !== undefined && { baseline: figures.baseline.all() }),
      candidate: figures.candidate.all(),
    },
    cases,
  }
}
