import type { Measured } from '../../bridge/domain/figures.ts'
import type { Compared, Noise } from './chat.ts'
import { answerFigures, sessionOf } from './figures.ts'
import { changeOf, type Group, groupsOf } from './groups.ts'
import { type Verdict, verdicts } from './judge.ts'
import type { TestCase } from './reports/junit.ts'
import type { Telling } from './reports/line.ts'
import type { Report } from './reports/report.ts'
import type { Skipped } from './source.ts'

/** What of a run is in its report. */
export type Found = Pick<Report, 'chats' | 'turns' | 'groups' | 'new' | 'figures'> & {
  readonly noise: Noise
  readonly cases: ReadonlyArray<TestCase>
}

type Options = Pick<Telling, 'hash'> & {
  readonly isExact: boolean
  readonly hasBaseline: boolean
  readonly accepted: ReadonlySet<string>
  readonly failOn: ReadonlySet<Verdict>
}

/** What is kept of a chat whose turns are written. */
type Summary = {
  readonly verdicts: ReadonlyArray<Verdict>
  readonly noise: Noise
  readonly answers: Readonly<Record<keyof Found['figures'], Measured>>
  readonly testCase: TestCase
}

type Grouped = { readonly each: Compared; readonly group: Omit<Group, 'count'> | undefined }

const resultOf = (
  compared: ReadonlyArray<Grouped>,
  isNew: (group: Pick<Group, 'isAccepted' | 'verdict'>) => boolean,
): TestCase['result'] => {
  for (const { each, group } of compared) {
    if (group === undefined || !isNew(group)) continue
    const what = `turn ${each.turn.number}: ${group.from.join(' + ') || 'silence'} → ${group.to.join(' + ') || 'silence'}`
    const message = `${what} (group ${group.id})`
    return { kind: each.verdict === 'threw' ? 'error' : 'failure', type: each.verdict, message }
  }
  const [first] = compared
  return first !== undefined && compared.every(({ each }) => each.verdict === 'not-comparable')
    ? { kind: 'skipped', type: 'not-comparable', message: first.each.reason ?? '' }
    : { kind: 'passed', type: 'same', message: '' }
}

/** Adds up what the bots did, chat by chat. */
export const tally = ({ isExact, hasBaseline, accepted, failOn, hash }: Options) => {
  const groups = groupsOf(accepted)
  const isNew = ({ isAccepted, verdict }: Pick<Group, 'isAccepted' | 'verdict'>) => !isAccepted && failOn.has(verdict)
  const skipped: Record<Skipped, number> = { erased: 0, 'late-events': 0, 'agent-first': 0, 'no-bot-message': 0 }
  const found = new Map<string, Summary>()

  /** Adds a chat. Returns its turns with the group of each divergence, to be written. */
  const add = (chatId: string, compared: ReadonlyArray<Compared>, noise: Noise): ReadonlyArray<Compared> => {
    const comparable = compared.filter(({ verdict }) => verdict !== 'not-comparable' && verdict !== 'not-compared')
    const grouped = compared.map((each) => {
      const change = changeOf(each, { isExact, hash })
      return { each, group: change && groups.add(chatId, each, change) }
    })
    const ms = compared.reduce((sum, { candidate: now }) => sum + (now?.ms ?? 0), 0)
    found.set(chatId, {
      noise,
      answers: {
        observed: sessionOf(comparable.map(({ observed }) => ({ replies: observed, ms: 0 }))),
        baseline: sessionOf(comparable.flatMap(({ baseline }) => baseline ?? [])),
        candidate: sessionOf(comparable.flatMap(({ candidate }) => candidate ?? [])),
      },
      verdicts: compared.map(({ verdict }) => verdict),
      testCase: { chatId, ms, result: resultOf(grouped, isNew) },
    })
    return grouped.map(({ each, group }) => {
      if (group === undefined) return each
      const about = `group ${group.id}${group.isAccepted ? ', accepted' : ''}`
      return { ...each, reason: each.reason === undefined ? about : `${each.reason}; ${about}` }
    })
  }

  /** The sum of all chats but those that were erased after they were added. */
  const all = (erased: ReadonlySet<string>): Found => {
    const left = [...found].flatMap(([chatId, summary]) => (erased.has(chatId) ? [] : [summary]))
    const turns = Map.groupBy(
      left.flatMap((summary) => summary.verdicts),
      (verdict) => verdict,
    )
    const figures = (answer: keyof Found['figures']) =>
      answerFigures(
        left.map(({ answers }) => answers[answer]),
        answer !== 'observed',
      )
    const allGroups = groups.all(erased)
    return {
      chats: {
        read: found.size + Object.values(skipped).reduce((sum, each) => sum + each, 0),
        compared: left.length,
        skipped: { ...skipped, erased: skipped.erased + erased.size },
      },
      turns: Object.fromEntries(
        verdicts.map((verdict) => [verdict, turns.get(verdict)?.length ?? 0]),
      ) as Report['turns'],
      noise: {
        differs: left.reduce((sum, { noise }) => sum + noise.differs, 0),
        of: left.reduce((sum, { noise }) => sum + noise.of, 0),
      },
      groups: allGroups,
      new: allGroups.filter(isNew).length,
      figures: {
        observed: figures('observed'),
        ...(hasBaseline && { baseline: figures('baseline') }),
        candidate: figures('candidate'),
      },
      cases: left.map(({ testCase }) => testCase),
    }
  }
  return {
    add,
    skip: (why: Skipped): void => {
      skipped[why]++
    },
    all,
  }
}
