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
