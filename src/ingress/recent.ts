/** A memory of the newest entries. */
export type Recent<V> = {
  readonly get: (key: string) => V | undefined
  readonly set: (key: string, value: V) => void
  readonly delete: (key: string) => void
}

/**
 * Remembers at least the newest `limit` entries and at most twice as many, in two generations: a full young one becomes
 * the old one, whose entries are forgotten. Reading an entry makes it young again.
 */
export const recent = <V>(limit: number): Recent<V> => {
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  const set = (key: string, value: V) => {
    if (young.size >= limit && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  return {
    get: (key) => {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
    delete: (key) => {
      young.delete(key)
      old.delete(key)
    },
  }
}
