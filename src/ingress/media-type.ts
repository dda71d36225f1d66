import type { Problem } from '../../contracts/problem.ts'

/** A Content-Type in two: the type in lower case, and its charset where it has one. */
const parse = (contentType: string) => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters
    .map((p) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(p)?.[1])
    .find((found) => found !== undefined)
  return { type: type.trim(), charset }
}

/** Whether the header names this type, in UTF-8 where it names a charset. */
export const isType = (contentType: string, expected: string): boolean => {
  const { type, charset } = parse(contentType)
  return type === expected && (charset === undefined || charset === 'utf-8' || charset === 'utf8')
}

/** How nearly every request says it: not worth parsing again. */
const usual = new Set(['application/json', 'application/json; charset=utf-8'])

/** What is wrong with how a body was sent; the headers' values, '' where they are missing. */
export const mediaTypeProblem = (contentType: string, contentEncoding: string): Problem | undefined => {
  if (contentEncoding !== '' && contentEncoding.toLowerCase() !== 'identity')
    return { path: 'Content-Encoding', expected: 'none' }
  return usual.has(contentType) || isType(contentType, 'application/json')
    ? undefined
    : { path: 'Content-Type', expected: 'application/json in UTF-8' }
}
