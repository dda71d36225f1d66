/**
 * The end of a page of rows that are sorted by a time: the time of the last row, and the ids of all rows of that time
 * so far. The next page has the rows of that time or beyond it, without these ids. So an index of the time alone is
 * enough, and rows of the same millisecond are neither omitted nor repeated.
 */
export type PageEnd = { readonly at: Date; readonly ids: ReadonlyArray<string> }

export const pageEnd = <Row extends { readonly _id: string }>(
  rows: ReadonlyArray<Row>,
  timeOf: (row: Row) => Date,
  before?: PageEnd,
): PageEnd | undefined => {
  const last = rows.at(-1)
  if (last === undefined) return before
  const at = timeOf(last)
  const same = rows.filter((row) => timeOf(row).getTime() === at.getTime()).map(({ _id }) => _id)
  return { at, ids: before?.at.getTime() === at.getTime() ? [...before.ids, ...same] : same }
}
