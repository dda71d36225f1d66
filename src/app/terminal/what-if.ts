import type { AnswerFigures } from '../../bot/what-if/figures.ts'
import type { Group } from '../../bot/what-if/groups.ts'
import { verdicts } from '../../bot/what-if/judge.ts'
import type { WhatIfEvent, WhatIfResult } from '../../bot/what-if/operation.ts'
import type { Report } from '../../bot/what-if/reports/report.ts'
import {
  changeText,
  figuresByAnswer,
  noiseText,
  shareText,
  skippedText,
  timeText,
} from '../../bot/what-if/reports/summary.ts'
import type { Words } from './words.ts'

const countsText = ({ turns }: Pick<Report, 'turns'>): string =>
  verdicts.flatMap((verdict) => (turns[verdict] > 0 ? [`${verdict} ${turns[verdict]}`] : [])).join(', ')

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

/** The noise comes first: it says what the rest is worth. */
const summaryLines = (report: Report): ReadonlyArray<string> => {
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

/** The report with its examples by chat and turn. */
const summaryJson = ({ groups, offsets, ...rest }: Report): object => ({
  ...rest,
  groups: groups.map(({ examples, ...group }) => ({
    ...group,
    examples: examples.map(({ chatId, compared }) => ({ chatId, turn: compared.turn.number })),
  })),
  offsets: Object.fromEntries([...offsets].map(([topic, parts]) => [topic, Object.fromEntries(parts)])),
})

export const whatIfWords: Words<WhatIfEvent, WhatIfResult> = {
  event: ({ group, prefix, topic }) => [
    `Start the bot with TOPIC_PREFIX=${prefix} and GROUP=${group}; it reads ${topic}.`,
  ],
  step: () => ['asking', 'records'],
  result: ({ report, unknown, out }) => [
    ...summaryLines(report),
    ...unknown.map((id) => `No group has the id ${id}.`),
    `The report is in ${out}.`,
  ],
  json: ({ report }) => summaryJson(report),
}
