/**
 * Where a page of rows in the order of a time ends: at the last row's time, and the ids of all rows of that time so far. The next page
 * has what is of that time or beyond it, without these. So an index of the time alone serves, and rows of one millisecond are neither left out nor
 * told twice.
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
