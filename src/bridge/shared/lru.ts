/** A cache of at most so many values. It removes the least recently used value first. */
export const lru = <A>(maxSize: number) => {
  const values = new Map<string, A>()
  const set = (key: string, value: A): void => {
    values.delete(key)
    values.set(key, value)
    const [oldest] = values.keys()
    if (values.size > maxSize && oldest !== undefined) values.delete(oldest)
  }
  return {
    get: (key: string): A | undefined => {
      const value = values.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    delete: (key: string): void => void values.delete(key),
    clear: (): void => values.clear(),
  }
}
