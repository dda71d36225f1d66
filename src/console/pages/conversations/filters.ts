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
