const unsafe = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21

/** A value as its JSON text has it, but integers that JSON writes with more digits than a double holds as that text. */
export const exactJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (unsafe(each) ? String(each) : each))
