import type { Outcome as RecordOutcome, Redriven, Trouble, Why } from '../../../bridge/operations/redrive/batches.ts'
import type { RequestEvent } from '../../../bridge/operations/redrive/requeue-quarantined.ts'
import type { LetterEvent } from '../../../bridge/operations/redrive/send.ts'
import { count } from '../../browser/format.ts'
import { causeWords } from '../../browser/words.ts'
import type { OperationEnd } from '../../line-queue.ts'
import type { LettersAnswer, LettersKind } from './letters.ts'

type Letter = Pick<LettersAnswer['letters'][number], 'earlier'>

export type RedriveEvent = LetterEvent | RequestEvent
export type RedriveEnd = OperationEnd<Redriven>

/** How many were sent; in a dry run how many would be. */
export const sentIn = (end: RedriveEnd | undefined): number => {
  const tally = end !== undefined && 'code' in end ? end.result?.tally : undefined
  return tally === undefined ? 0 : tally.done + tally.planned
}

const outcomes: Readonly<Record<LettersKind, Readonly<Record<RecordOutcome, string>>>> = {
  'dead-letters': {
    done: 'sent',
    planned: 'would be sent',
    before: 'sent before',
    kept: 'refused',
    failed: 'failed',
  },
  quarantine: {
    done: 'processed',
    planned: 'would be processed',
    before: 'processed before',
    kept: 'not processed',
    failed: 'failed',
  },
}

const whyWords = (why: Why): string => {
  switch (why.kind) {
    case 'erased':
      return 'the person has been erased since then'
    case 'outdated':
      return 'the record would replace a newer state'
    case 'redriven':
      return `it was sent again ${why.times} times`
    case 'batch':
      return 'it is a batch of records and cannot be sent as one record'
    case 'foreign':
      return 'its headers were not written by the bridge'
    case 'cut':
      return 'only its beginning was kept'
    case 'unknown-account':
      return 'its account is not in the accounts file'
    case 'unreadable':
    case 'kafka':
      return why.reason
  }
}

/** What became of a letter or a request, as sentences. */
export const redriveEventWords = (event: RedriveEvent): string => {
  const reason = event.why === undefined ? '' : `; ${whyWords(event.why)}`
  if ('request' in event) return `Request ${event.request.id}: ${outcomes.quarantine[event.kind]}${reason}.`
  const { id, origin, consumer, cause } = event.letter
  return `Letter ${id}: ${outcomes['dead-letters'][event.kind]}. It is record ${origin}, and failed in ${consumer}: ${causeWords(cause)}${reason}.`
}

const troubleWords = (trouble: Trouble): string => {
  switch (trouble.kind) {
    case 'busy':
      return 'Another redrive is running: wait until it has ended.'
    case 'overtaken':
      return 'Another redrive has begun, because this one made no progress for a minute.'
    case 'interrupted':
      return 'Interrupted. Send the rest again to continue.'
    case 'mongodb':
      return 'MongoDB does not answer, so it is not known which may be sent.'
    case 'not-stored':
      return `MongoDB does not answer: of ${count(trouble.count)} it could not be stored that they were sent.`
    case 'kafka':
      return `Kafka: ${trouble.reason}.`
  }
}

/** What a redrive has done. */
export const redriveEndWords = (kind: LettersKind, end: RedriveEnd | undefined): string => {
  if (end === undefined) return 'Ended early.'
  if ('stop' in end) return `The redrive ended early: ${end.stop.reason}`
  const { tally, limit, trouble } = end.result ?? {}
  const counts = Object.entries(tally ?? {}).flatMap(([outcome, number]) =>
    number > 0 ? [`${count(number)} ${outcomes[kind][outcome as RecordOutcome]}`] : [],
  )
  return [
    ...(counts.length > 0
      ? [`${counts.join(', ')}.`]
      : trouble === undefined
        ? ['None of them is there any more.']
        : []),
    ...(limit === undefined ? [] : ['There may be more.']),
    ...(trouble === undefined ? [] : [troubleWords(trouble)]),
  ].join(' ')
}

/** `isOver`: everything that was sent has been processed, or has failed again. */
export type Outcome = {
  readonly sent: number
  readonly failed: number
  readonly isAwaited: boolean
  readonly isOver: boolean
}

/** How many of these letters have failed again: each is now an earlier failure of another letter. */
export const failedAgain = (ids: ReadonlyArray<string>, letters: ReadonlyArray<Letter>): number => {
  const asked = new Set(ids)
  return letters.filter(({ earlier }) => earlier.some(({ id }) => asked.has(id))).length
}

/** What became of letters that were sent again, as far as it is known. */
export const outcomeWords = ({ sent, failed, isAwaited, isOver }: Outcome): string => {
  if (failed >= sent) return `${sent === 1 ? 'It' : `All ${count(sent)}`} failed again. Fix the cause first.`
  const some = `${count(failed)} failed again`
  if (isOver) return failed === 0 ? 'None failed again.' : `${some}, and ${count(sent - failed)} did not.`
  const soFar = failed === 0 ? 'None has failed again so far.' : `${some} so far.`
  return `${soFar} ${isAwaited ? 'Waiting for the result…' : 'The others are not processed yet.'}`
}
