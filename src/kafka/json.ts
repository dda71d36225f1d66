import * as E from 'fp-ts/lib/Either.js'

/** Why a record cannot be read: one word, and a sentence that names fields and never holds their values. */
export type Undecodable = {
  readonly cause: 'no-value' | 'not-utf8' | 'too-deep' | 'not-json' | 'headers' | 'contract'
  readonly detail: string
}

export const undecodable = (cause: Undecodable['cause'], detail: string): E.Either<Undecodable, never> =>
  E.left({ cause, detail: detail.slice(0, 1000) })

const deepest = 64
const longestSafe = 15
const utf8 = new TextDecoder('utf-8', { fatal: true })
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, zero, nine] = Buffer.from('"\\{}[]09')

/** How deep the JSON nests, at most one more than is allowed, and whether it may have an integer beyond 2^53. */
const scan = (bytes: Buffer): { readonly depth: number; readonly largeInteger: boolean } => {
  let depth = 0
  let most = 0
  let digits = 0
  let largeInteger = false
  for (let i = 0; i < bytes.length && most <= deepest; i++) {
    const byte = bytes[i] ?? 0
    digits = byte >= Number(zero) && byte <= Number(nine) ? digits + 1 : 0
    if (digits > longestSafe) largeInteger = true
    if (byte === quote) {
      for (i++; i < bytes.length && bytes[i] !== quote; i++) if (bytes[i] === backslash) i++
    } else if (byte === openBrace || byte === openBracket) most = Math.max(most, ++depth)
    else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return { depth: most, largeInteger }
}

const exactly = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? context?.source
    : value

/**
 * The JSON value of a record; nested at most 64 deep, since what walks the value next would overflow the stack. `exact` keeps
 * integers beyond 2^53 as their decimal text: an id that others write as a number would be another chat's if it were rounded.
 */
export const readJson = (
  bytes: Buffer | null,
  { exact }: { readonly exact: boolean },
): E.Either<Undecodable, unknown> => {
  if (bytes === null) return undecodable('no-value', 'value: expected JSON')
  const { depth, largeInteger } = scan(bytes)
  if (depth > deepest) return undecodable('too-deep', `value: expected JSON nested at most ${deepest} deep`)
  const text = E.tryCatch(
    () => utf8.decode(bytes),
    () => undefined,
  )
  if (E.isLeft(text)) return undecodable('not-utf8', 'value: expected UTF-8')
  const json = E.tryCatch(
    (): unknown => JSON.parse(text.right, exact && largeInteger ? exactly : undefined),
    () => undefined,
  )
  return E.isLeft(json) ? undecodable('not-json', 'value: expected JSON') : json
}
