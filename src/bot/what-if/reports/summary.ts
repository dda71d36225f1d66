import type { Figure } from '../../../../contracts/views/daily-stats.ts'
import type { AnswerFigures } from '../figures.ts'
import type { Group } from '../groups.ts'
import { verdicts } from '../judge.ts'
import type { Skipped } from '../source.ts'
import type { Report } from './report.ts'

const skippedWords: Readonly<Record<Skipped, string>> = {
  erased: 'erased',
  'late-events': 'with late events',
  'agent-first': 'an agent had it first',
  'no-bot-message': 'nothing for the bot in that time',
}

/** `8 of 420 (1.9 %)`. */
export const shareText = ({ numerator, denominator, value }: Figure): string =>
  `${numerator} of ${denominator}${value === undefined ? '' : ` (${(value * 100).toFixed(1)} %)`}`

export const timeText = ({ median, p95, denominator }: Figure): string =>
  median === undefined || p95 === undefined
    ? 'none'
    : `p50 ${Math.round(median)} ms, p95 ${Math.round(p95)} ms of ${denominator} answers`

export const noiseText = ({ noise }: Pick<Report, 'noise'>): string =>
  noise === undefined
    ? 'No baseline: how much the old bot differs from the log today is not known.'
    : `The baseline differs from the log in ${noise.differs} of ${noise.of} turns.`

export const changeText = ({ client, from, to }: Pick<Group, 'client' | 'from' | 'to'>): string =>
  `${client}: ${from.join(' + ') || 'silence'} → ${to.join(' + ') || 'silence'}`

const countsText = ({ turns }: Pick<Report, 'turns'>): string =>
  verdicts.flatMap((verdict) => (turns[verdict] > 0 ? [`${verdict} ${turns[verdict]}`] : [])).join(', ')

export const skippedText = ({ chats: { skipped } }: Pick<Report, 'chats'>): string =>
  (Object.keys(skippedWords) as Skipped[])
    .flatMap((why) => (skipped[why] > 0 ? [`${skipped[why]} ${skippedWords[why]}`] : []))
    .join(', ') || 'none'

export const figuresByAnswer = ({
  figures,
}: Report): ReadonlyArray<readonly [name: string, figures: AnswerFigures]> => [
  ['log', figures.observed],
  ...(figures.baseline === undefined ? [] : [['baseline', figures.baseline] as const]),
  ['candidate', figures.candidate],
]

const figureLines = (name: string, { turns, containment, handOffRate, silence, responseTimeBot }: AnswerFigures) =>
  [
    `  ${name}, on ${turns} turns: contained ${shareText(containment)}, handed over ${shareText(handOffRate)}`,
    `silent turns ${shareText(silence)}`,
    ...(responseTimeBot === undefined ? [] : [timeText(responseTimeBot)]),
  ].join(', ')

const groupLines = ({ id, verdict, count, isAccepted, examples, ...change }: Group): string =>
  `  ${id}  ${verdict}  ${changeText(change)}  ${count} ${count === 1 ? 'chat' : 'chats'}${isAccepted ? ', accepted' : ''}, such as ${examples
    .map(({ chatId, compared }) => `${chatId} turn ${compared.turn.number}`)
    .join(', ')}`

/** The report as lines for a terminal. The noise comes first: it says what the rest is worth. */
export const summaryLines = (report: Report): ReadonlyArray<string> => {
  const { chats, groups, notes, offsets, unreadable } = report
  return [
    noiseText(report),
    `Chats: ${chats.compared} compared, skipped: ${skippedText(report)}. Turns: ${countsText(report)}.`,
    ...notes,
    groups.length === 0
      ? 'No divergence.'
      : `Divergences in ${groups.length} ${groups.length === 1 ? 'group' : 'groups'}, ${report.new} new:`,
    ...groups.map(groupLines),
    'Figures:',
    ...figuresByAnswer(report).map(([name, figures]) => figureLines(name, figures)),
    ...[...offsets].map(([topic, parts]) => {
      const read = [...parts].flatMap(([partition, { from, to }]) =>
        from < to ? [`${partition}: ${from} to ${to}`] : [],
      )
      return `Read of ${topic}, partition by partition: ${read.join(', ') || 'nothing'}`
    }),
    ...(unreadable > 0 ? [`${unreadable} records cannot be read and are left out.`] : []),
  ]
}

/** The same as JSON, with examples by chat and turn. */
export const summaryJson = ({ groups, offsets, ...rest }: Report): object => ({
  ...rest,
  groups: groups.map(({ examples, ...group }) => ({
    ...group,
    examples: examples.map(({ chatId, compared }) => ({ chatId, turn: compared.turn.number })),
  })),
  offsets: Object.fromEntries([...offsets].map(([topic, parts]) => [topic, Object.fromEntries(parts)])),
})
