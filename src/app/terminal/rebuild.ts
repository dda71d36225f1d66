import type { Example } from '../../bridge/operations/rebuild/differences.ts'
import type { Ending, Rebuilt } from '../../bridge/operations/rebuild/rebuild.ts'
import type { RebuildEvent, Row } from '../../bridge/operations/rebuild/replay.ts'
import type { Refusal, StopCause } from '../../bridge/operations/rebuild/run.ts'
import { printable } from '../../bridge/shared/text.ts'
import { isComputed } from '../../bridge/views/index.ts'
import type { Words } from './words.ts'

const choice = 'To continue it: livechat-bridge rebuild --resume; or to drop it: livechat-bridge rebuild --discard'

const number = (count: number): string => count.toLocaleString('en')
const plural = (count: number, one: string, many: string): string => `${number(count)} ${count === 1 ? one : many}`

/** `chats: 12 documents, the live view has 15: 3 fewer`. */
const countedLine = ({ view, live, rebuilt }: Extract<RebuildEvent, { kind: 'counted' }>): string => {
  const difference = rebuilt - live
  const named = difference === 0 ? 'as many' : `${number(Math.abs(difference))} ${difference > 0 ? 'more' : 'fewer'}`
  return `${view}: ${number(rebuilt)} documents, the live view has ${number(live)}: ${named}`
}

const exampleText = ({ id, what }: Example): string => {
  if (what === 'only live') return `${id}: only the live view has it`
  return what === 'only rebuilt' ? `${id}: the live view lacks it` : `${id}: ${what.join(', ')}`
}

/** The count first, then examples. */
const comparedLines = ({
  view,
  same,
  different,
  examples,
  older,
  crowded,
  moving,
}: Extract<RebuildEvent, { kind: 'compared' }>): ReadonlyArray<string> => {
  const parts = [
    `${plural(same, 'document is', 'documents are')} the same`,
    ...(different > 0 ? [`${plural(different, 'is', 'are')} different`] : []),
    ...(older > 0 ? [`${plural(older, 'is', 'are')} older than the records that topics keep, and not compared`] : []),
    ...(crowded > 0
      ? [
          `${plural(crowded, 'is', 'are')} beyond the limit of an account, where the order of reading decides, and not compared`,
        ]
      : []),
    ...(moving > 0 ? [`${plural(moving, 'was', 'were')} changing all the time and not compared`] : []),
  ]
  const more = different - examples.length
  return [
    `${view}: ${parts.join(', ')}`,
    ...examples.map((example) => `  ${exampleText(example)}`),
    ...(more > 0 ? [`  and ${number(more)} more`] : []),
  ].map(printable)
}

const refusalText = (why: Refusal): string =>
  why.kind === 'no-records'
    ? `the log has nothing for ${why.views.join(', ')}: nothing was swapped`
    : 'its collections are missing, so it can only be discarded'

const causeText = (why: StopCause): string => {
  switch (why.kind) {
    case 'interrupted':
      return 'interrupted'
    case 'taken-over':
      return 'another process has taken over the rebuild'
    case 'swap':
      return `the swap of ${why.views.join(', ')} did not finish in time`
    case 'failure':
      return why.reason
  }
}

const endingText = (ending: Ending): string => {
  switch (ending.kind) {
    case 'done':
      return ending.isDry ? 'There is no difference, and nothing was changed.' : 'Done.'
    case 'different':
      return 'There are differences; nothing was changed.'
    case 'refused':
      return `Refused: ${refusalText(ending.why)}. To continue anyway: --resume --force. To drop it: --discard.`
    case 'not-begun':
      return `Nothing was done: ${ending.reason}.`
    case 'stopped':
      return `Stopped: ${causeText(ending.why)}. ${choice}`
    case 'nothing-interrupted':
      return 'No rebuild was interrupted.'
    case 'nothing-to-discard':
      return 'No rebuild was interrupted: there is nothing to discard.'
    case 'discarded':
      return 'Discarded.'
    case 'busy':
      return 'A rebuild is running: wait until it has ended.'
    case 'no-dry-run':
      return `The interrupted rebuild is no dry run. ${choice}`
    case 'cut-off':
      return 'Refused. To continue anyway: --force.'
    case 'other-views':
      return `The interrupted rebuild is of ${ending.views.join(', ')}. ${choice}`
    case 'recreated':
      return `These topics were deleted and created again after the rebuild began: ${ending.topics.join(', ')}. Drop it: livechat-bridge rebuild --discard; then start a new one.`
    case 'interrupted-before': {
      const what = `${ending.isDry ? 'dry run of a rebuild' : 'rebuild'} of ${ending.views.join(', ')}`
      return `A ${what} that began at ${ending.startedAt} was interrupted. ${choice}`
    }
  }
}

const rowJson = (row: Row) => ('examples' in row ? { ...row, examples: row.examples.map(exampleText) } : row)

export const rebuildWords: Words<RebuildEvent, Rebuilt> = {
  event: (event) => {
    switch (event.kind) {
      case 'cut-off':
        return [`The first records are missing in: ${event.partitions.join(', ')}. The views would lack them.`]
      case 'refused':
        return [`${event.records} records cannot be read or stored; they are dead letters, and in no view.`]
      case 'counted':
        return [countedLine(event)]
      case 'compared':
        return comparedLines(event)
      case 'swapped':
        return [`Swapped: ${event.views.join(', ')}.`]
    }
  },
  step: (step) => {
    if (step === 'replaying') return ['replaying', 'records']
    if (step === 'computing') return ['computing', 'days']
    return [`comparing ${step.comparing}`, isComputed(step.comparing) ? 'days' : 'documents']
  },
  result: ({ ending }) => [endingText(ending)],
  json: ({ views, ...result }) => ({ ...result, views: views.map(rowJson) }),
}
