/** Replaces a part of a source file's text. */
export type Edit = { readonly start: number; readonly end: number; readonly text: string }

export const changed = (text: string, { start, end, text: other }: Edit): string =>
  text.slice(0, start) + other + text.slice(end)
