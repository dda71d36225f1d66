const docstring = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export const (\w+)/g

export const paragraphs = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trim())
    .join('\n')
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' '))
    .join('\n\n')

/** The docstrings of a source file, each directly above its `export const`, by the constants' names. */
export const docstringsOf = (source: string): ReadonlyMap<string, string> =>
  new Map([...source.matchAll(docstring)].map(([, comment = '', name = '']) => [name, paragraphs(comment)]))
