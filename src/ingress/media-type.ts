import { parse } from 'content-type'
import type { Problem } from '../../contracts/problem.ts'

/** Whether the header names this type, in UTF-8 if it names a charset. */
export const isType = (contentType: string, expected: string): boolean => {
  const { type, parameters } = parse(contentType)
  const charset = parameters.charset?.toLowerCase()
  return type.toLowerCase() === expected && (charset === undefined || charset === 'utf-8' || charset === 'utf8')
}

/** What is wrong with how a body was sent; the headers' values, '' where they are missing. */
export const mediaTypeProblem = (contentType: string, contentEncoding: string): Problem | undefined => {
  if (contentEncoding !== '' && contentEncoding.toLowerCase() !== 'identity')
    return { path: 'Content-Encoding', expected: 'none' }
  return isType(contentType, 'application/json')
    ? undefined
    : { path: 'Content-Type', expected: 'application/json in UTF-8' }
}
