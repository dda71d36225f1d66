/** A memory of the newest entries: whole numbers by digests in base64url, of 22 characters at least, of which the first 16 count. */
export type Recent = {
  readonly get: (digest: string) => number | undefined
  readonly set: (digest: string, value: number) => void
}

const wordsOfKey = 4
const charactersOfWord = 4
const bitsOfCharacter = 7
const golden = 0x9e3779b1

type Key = readonly [number, number, number, number]

const wordOf = (digest: string, number: number): number => {
  let word = 0
  for (let i = number * charactersOfWord; i < (number + 1) * charactersOfWord; i++)
    word = (word << bitsOfCharacter) | digest.charCodeAt(i)
  return word
}

/** No word of a key is 0, since no character is: that marks what is free. */
const keyOf = (digest: string): Key => [wordOf(digest, 0), wordOf(digest, 1), wordOf(digest, 2), wordOf(digest, 3)]

/** A hash table of at most `limit` entries with open addressing, at most half full. */
const generation = (limit: number) => {
  const bits = Math.ceil(Math.log2(2 * limit))
  const keys = new Int32Array(wordsOfKey * 2 ** bits)
  const values = new Float64Array(2 ** bits)
  let size = 0

  /** Where the key is, or would be. */
  const placeOf = ([a, b, c, d]: Key): number => {
    for (let place = Math.imul(a ^ b, golden) >>> (32 - bits); ; place = (place + 1) % values.length) {
      const at = place * wordsOfKey
      if (keys[at] === 0) return place
      if (keys[at] === a && keys[at + 1] === b && keys[at + 2] === c && keys[at + 3] === d) return place
    }
  }
  const isFree = (place: number) => keys[place * wordsOfKey] === 0
  return {
    get: (key: Key): number | undefined => {
      const place = placeOf(key)
      return isFree(place) ? undefined : values[place]
    },
    /** False where there is no room for one more. */
    set: (key: Key, value: number): boolean => {
      const place = placeOf(key)
      if (isFree(place)) {
        if (size === limit) return false
        size++
        keys.set(key, place * wordsOfKey)
      }
      values[place] = value
      return true
    },
  }
}

/**
 * Remembers at least the newest `limit` entries and at most twice as many, in two generations: a full young one becomes
 * the old one, whose entries are forgotten. Reading an entry makes it young again. It is kept in a few arrays of numbers: as
 * objects, the hundred thousands of entries would be most of what the garbage collector has to look at.
 */
export const recent = (limit: number): Recent => {
  let young = generation(limit)
  let old: typeof young | undefined
  const set = (key: Key, value: number) => {
    if (young.set(key, value)) return
    old = young
    young = generation(limit)
    young.set(key, value)
  }
  return {
    get: (digest) => {
      const key = keyOf(digest)
      const value = young.get(key)
      if (value !== undefined || old === undefined) return value
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set: (digest, value) => set(keyOf(digest), value),
  }
}
