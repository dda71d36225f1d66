import * as E from 'fp-ts/lib/Either.js'
import type { Marks } from '../domain/personal-data.ts'
import { isJsonObject } from '../shared/json.ts'

type Cell = string | number | boolean | null | undefined

/** A spreadsheet reads text with such a beginning as a formula. */
const formula = /^[=+\-@\t\r]/
const special = /[",\r\n]/

const cellText = (cell: Cell): string => {
  if (cell === null || cell === undefined) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** CSV of RFC 4180. Text that a spreadsheet would read as a formula gets an apostrophe before it. */
export const csv = (rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')

/** A spreadsheet with more rows is not read by people. */
const maxRows = 10_000
const rowsAtOnce = 500

type Page<Row, End> = { readonly rows: ReadonlyArray<Row>; readonly next?: End | undefined }

/** The rows of all pages from `first` on, at most 10,000, or those so far when the caller has gone. */
export const csvOfPages = async <Row, End, Failure>(
  columns: ReadonlyArray<string>,
  cells: (row: Row) => ReadonlyArray<Cell>,
  pageAfter: (after: End | undefined, limit: number) => Promise<E.Either<Failure, Page<Row, End>>>,
  first: End | undefined,
  signal: AbortSignal,
): Promise<E.Either<Failure, string>> => {
  let text = csv([columns])
  let after = first
  for (let count = 0; count < maxRows && !signal.aborted; count += rowsAtOnce) {
    const page = await pageAfter(after, rowsAtOnce)
    if (E.isLeft(page)) return page
    text += csv(page.right.rows.map(cells))
    after = page.right.next
    if (after === undefined) break
  }
  return E.right(text)
}

/** The answer that the browser saves under a name. The name has only characters that need no escape. */
export const csvFile = (name: string, body: string) => ({
  status: 200,
  body,
  headers: {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}"`,
  },
})

/** The path of each leaf that is not personal, in the codec's order: `figures.containment.value`. */
export const columnsOf = (marks: Marks, path = ''): ReadonlyArray<string> => {
  if (marks === 'readable') return [path]
  if (typeof marks === 'string' || !('fields' in marks)) return []
  return [...marks.fields].flatMap(([name, field]) => columnsOf(field.marks, path === '' ? name : `${path}.${name}`))
}

/** The value of a document at a path. */
export const cellAt = (document: object, path: string): Cell => {
  const value = path
    .split('.')
    .reduce<unknown>((at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), document)
  return typeof value === 'object' ? undefined : (value as Cell)
}
