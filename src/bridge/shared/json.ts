/** Whether a value is an object or an array: anything that can have fields. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

export type JsonObject = Record<string, unknown>

/** Whether a value is an object but not an array. */
export const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && !Array.isArray(value)
