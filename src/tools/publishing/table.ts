/** A table of a guide: its first line, and the other lines. */
export type Table = { readonly head: ReadonlyArray<string>; readonly rows: ReadonlyArray<ReadonlyArray<string>> }

const line = (cells: ReadonlyArray<string>) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`

/** A table in Markdown. */
export const markdown = ({ head, rows }: Table): string =>
  [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
