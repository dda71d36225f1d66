import fc from 'fast-check'

const unsafe = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21

/** A value as its JSON text has it. Unsafe integers that JSON writes without exponent (below 1e21) become strings. */
export const exactJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (unsafe(each) ? String(each) : each))

/**
 * Any character except the backslash. V8 13.6 reads the key `"\""` as a backslash if it has read an object with a
 * backslash as key in that place before. So JSON.parse does not always return the same value for a text.
 */
export const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((c) => c !== '\\')

/** Any JSON value whose keys JSON.parse reads the same way each time. */
export const jsonValue = (maxDepth?: number) =>
  fc.jsonValue({ stringUnit: character, ...(maxDepth !== undefined && { maxDepth }) })
