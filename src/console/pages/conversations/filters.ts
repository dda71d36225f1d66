import { looksLikeAddress } from '../../../bridge/domain/person/ids.ts'

/** The orders of the list: empty if the newest come first. */
export const sortCodes = ['', 'oldest', 'waits', 'longest'] as const
export type Sort = (typeof sortCodes)[number]

/** The filters and the order of the list of conversations, with the names of the API and the address. */
export type Filters = {
  readonly state: '' | 'open' | 'over'
  readonly kind: '' | 'agent' | 'bot'
  readonly outcome: string
  readonly agent: string
  readonly widget: string
  /** A day, or a day and a time, in the account's time zone. */
  readonly from: string
  readonly to: string
  readonly id: string
  readonly unanswered: boolean
  readonly failed: boolean
  readonly sort: Sort
}

const oneOf = <A extends string>(text: string | null, words: ReadonlyArray<A>): A | '' =>
  words.find((word) => word === text) ?? ''

const localTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/

/** Only a client without an answer waits, or waited until the session ended: the API lists no others by their wait. */
const ofWaits = (filters: Filters): Filters => (filters.sort === 'waits' ? { ...filters, unanswered: true } : filters)

/** The filters after a choice in their form. Who chooses answered sessions too leaves the order by waits. */
export const changed = (filters: Filters, part: Partial<Filters>): Filters => {
  const next = { ...filters, ...part }
  return ofWaits(part.unanswered === false && next.sort === 'waits' ? { ...next, sort: '' } : next)
}

/** What a text in the search field is. Nobody can tell 10 to 15 digits of an id from a phone number: `number`. */
export type Typed = 'id' | 'email' | 'phone' | 'number'
export const typedAs = (text: string): Typed => {
  const value = text.trim()
  if (!looksLikeAddress({ kind: 'client', value })) return 'id'
  if (value.includes('@')) return 'email'
  return looksLikeAddress({ kind: 'chat', value }) ? 'phone' : 'number'
}

/** What the form asks for: a query for the address, and the email address or the number of a person, if one was typed. */
export type FormAsks = { readonly query: string; readonly person: string }

/**
 * What the form asks for after a choice in it, or after Enter. The query never has an email address or a phone number
 * that was typed now: the browser keeps addresses of pages, and people send them to others. `filters`: those of the
 * address.
 */
export const formAsks = (filters: Filters, typed: Filters, part: Partial<Filters> = {}): FormAsks => {
  const next = changed(typed, part)
  if (next.id === filters.id || typedAs(next.id) === 'id') return { query: queryOf(next), person: '' }
  return { query: queryOf({ ...next, id: '' }), person: next.id.trim() }
}

/** True if an id of a client may be in the address of a page: it is no email address and no phone number. */
export const mayBeInAddress = (id: string): boolean => typedAs(id) === 'id' || typedAs(id) === 'number'

/** True if the list has only one page: no index has its order. */
export const isOnePage = ({ sort, state }: Pick<Filters, 'sort' | 'state'>): boolean =>
  sort === 'longest' || (sort === 'waits' && state !== 'open')

/** The filters in the address. Unknown values are ignored. */
export const filtersOf = (query: URLSearchParams): Filters => {
  const text = (name: string) => (query.get(name) ?? '').trim()
  return ofWaits({
    state: oneOf(query.get('state'), ['open', 'over']),
    kind: oneOf(query.get('kind'), ['agent', 'bot']),
    outcome: text('outcome'),
    agent: text('agent'),
    widget: text('widget'),
    from: localTime.test(text('from')) ? text('from') : '',
    to: localTime.test(text('to')) ? text('to') : '',
    id: text('id'),
    unanswered: query.get('unanswered') === 'true',
    failed: query.get('failed') === 'true',
    sort: oneOf(query.get('sort'), sortCodes),
  })
}

/** The filters as a query: only those that are set, always in the same order. */
export const queryOf = (filters: Filters): string =>
  new URLSearchParams(
    Object.entries(filters).flatMap(([name, value]) =>
      value === '' || value === false ? [] : [[name, String(value).trim()]],
    ),
  ).toString()

export const noFilters: Filters = filtersOf(new URLSearchParams())

type Row = { readonly chatId: string; readonly kind: string; readonly number: number }
export const rowKey = ({ chatId, kind, number }: Row): string => `${chatId}/${kind}/${number}`

/**
 * Updates the shown rows from the new response and leaves them in their places, so that no row moves during reading.
 * `waiting` is the number of new rows that are not shown yet.
 */
export const refreshed = <R extends Row>(
  shown: ReadonlyArray<R>,
  newest: ReadonlyArray<R>,
): { readonly rows: ReadonlyArray<R>; readonly waiting: number } => {
  const now = new Map(newest.map((row) => [rowKey(row), row]))
  const known = new Set(shown.map(rowKey))
  return {
    rows: shown.map((row) => now.get(rowKey(row)) ?? row),
    waiting: newest.filter((row) => !known.has(rowKey(row))).length,
  }
}
