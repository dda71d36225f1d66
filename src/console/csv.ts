import * as E from 'fp-ts/lib/Either.js'
import type { Marks } from '../bridge/domain/person/personal-data.ts'
import { isJsonObject } from '../bridge/shared/json.ts'

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

/** The last line of a file that lacks rows, so that nobody takes it for all of them. */
const lastLineOf = (isStopped: boolean) =>
  isStopped
    ? 'Rows are missing: the bridge was stopped. Save the file again.'
    : 'Rows are missing: a file has at most 10,000. Choose fewer days, and save one file for each part.'

/** The rows of all pages from `first` on, at most 10,000. If there are more, the last line says so. */
export const csvOfPages = async <Row, End, Failure>(
  columns: ReadonlyArray<string>,
  cells: (row: Row) => ReadonlyArray<Cell>,
  pageAfter: (after: End | undefined, limit: number) => Promise<E.Either<Failure, Page<Row, End>>>,
  first: End | undefined,
  signal: AbortSignal,
): Promise<E.Either<Failure, string>> => {
  let text = csv([columns])
  let after = first
  for (let rows = 0; rows < maxRows && !signal.aborted; rows += rowsAtOnce) {
    const page = await pageAfter(after, rowsAtOnce)
    if (E.isLeft(page)) return page
    text += csv(page.right.rows.map(cells))
    after = page.right.next
    if (after === undefined) return E.right(text)
  }
  const lastLine = columns.map((_, i) => (i === 0 ? lastLineOf(signal.aborted) : undefined))
  return E.right(text + csv([lastLine]))
}

/** Without it Excel reads UTF-8 as the encoding of the machine, and shows other letters. */
const byteOrderMark = '\uFEFF'

/** The answer that the browser saves under a name. The name has only characters that need no escape. */
export const csvFile = (name: string, body: string) => ({
  status: 200,
  body: byteOrderMark + body,
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
