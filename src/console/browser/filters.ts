/** The filters of the list of conversations, as the API and the address have them. */
export type Filters = {
  readonly state: '' | 'open' | 'over'
  readonly kind: '' | 'agent' | 'bot'
  readonly outcome: string
  readonly agent: string
  readonly widget: string
  readonly day: string
  readonly id: string
  readonly waiting: boolean
  readonly failed: boolean
}

const oneOf = <A extends string>(text: string | null, words: ReadonlyArray<A>): A | '' =>
  words.find((word) => word === text) ?? ''

/** What the address asks for. What it does not know is no filter. */
export const filtersOf = (query: URLSearchParams): Filters => {
  const text = (name: string) => (query.get(name) ?? '').trim()
  return {
    state: oneOf(query.get('state'), ['open', 'over']),
    kind: oneOf(query.get('kind'), ['agent', 'bot']),
    outcome: text('outcome'),
    agent: text('agent'),
    widget: text('widget'),
    day: /^\d{4}-\d\d-\d\d$/.test(text('day')) ? text('day') : '',
    id: text('id'),
    waiting: query.get('waiting') === 'true',
    failed: query.get('failed') === 'true',
  }
}

/** The same as a query: only what is filtered, always in the same order. */
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
 * The rows that are shown with what is known of them now, in the places where they are; and how many of the new answer are not
 * among them. So nothing moves while somebody reads.
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
