import type { Figure } from '../../../../contracts/views/daily-stats.ts'
import type { AnswerFigures } from '../figures.ts'
import type { Group } from '../groups.ts'
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
