import fc from 'fast-check'

const unsafe = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21

/** A value as its JSON text has it, but integers that JSON writes with more digits than a double holds as that text. */
export const exactJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (unsafe(each) ? String(each) : each))

/**
 * Any character but the backslash. V8 13.6 reads the key `"\""` as a backslash once it has read an object that has a
 * backslash for a key in that place, so that JSON.parse does not agree with itself.
 */
export const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((c) => c !== '\\')

/** Any JSON value whose keys JSON.parse reads alike each time. */
export const jsonValue = (maxDepth?: number) =>
  fc.jsonValue({ stringUnit: character, ...(maxDepth !== undefined && { maxDepth }) })
