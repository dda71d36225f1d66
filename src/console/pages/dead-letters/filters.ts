import { queryOfSet } from '../../browser/route.ts'
import type { LettersAnswer } from './letters.ts'

type LetterState = keyof LettersAnswer['states']

export const filterStates: ReadonlyArray<LetterState> = ['unresolved', 'sent', 'failed-again']

/** Text is empty where nothing is chosen. */
export type LettersFilters = {
  readonly cause: string
  readonly topic: string
  readonly chat: string
  readonly reason: string
  /** Letters of no known account, instead of the account's. */
  readonly unowned: boolean
  readonly state: LetterState | 'all'
}

/** True if a group may have other letters than these. */
export const isNarrowed = ({ cause, topic, chat, reason, state }: LettersFilters): boolean =>
  [cause, topic, chat, reason].some((each) => each !== '') || state === 'sent' || state === 'failed-again'

/** The letters that a group's button sends. `again`: also those that were sent before. */
export const sentBy = (filters: LettersFilters, { again }: { readonly again: boolean }): LettersFilters => ({
  ...filters,
  state: again ? 'all' : filters.state === 'failed-again' ? 'failed-again' : 'unresolved',
})

export type ChangeFilters = (part: Partial<LettersFilters>) => void

/** The filters that the query of the page's address names. Without a state in it, unresolved letters. */
export const lettersFiltersOf = (query: URLSearchParams): LettersFilters => {
  const text = (name: string) => query.get(name) ?? ''
  return {
    cause: text('cause'),
    topic: text('topic'),
    chat: text('chat'),
    reason: text('reason'),
    unowned: text('unowned') === 'true',
    state: [...filterStates, 'all' as const].find((each) => each === text('state')) ?? 'unresolved',
  }
}

const queryOf = ({ cause, topic, chat, reason, unowned }: LettersFilters, state: string): string =>
  queryOfSet({ cause, topic, chat, reason, unowned: unowned ? 'true' : '', state }).toString()

/** The query of the page's address. */
export const addressQueryOf = (filters: LettersFilters): string =>
  queryOf(filters, filters.state === 'unresolved' ? '' : filters.state)

/** The query of the request, where no state means letters in all states. */
export const requestQueryOf = (filters: LettersFilters): string =>
  queryOf(filters, filters.state === 'all' ? '' : filters.state)
