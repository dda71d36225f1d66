/** A table of a guide: its first line, and the other lines. */
export type Table = { readonly head: ReadonlyArray<string>; readonly rows: ReadonlyArray<ReadonlyArray<string>> }

const line = (cells: ReadonlyArray<string>) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`

/** A table in Markdown. */
export const markdown = ({ head, rows }: Table): string =>
  [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')

/** Formats rows as lines. Each column is as wide as its widest cell. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths: Array<number> = []
  for (const row of rows)
    for (const [column, { length }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, length)
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
