import { exclusively } from './mutex.ts'

/** A memory of the newest entries: whole numbers by digests in base64url, of 22 characters at least, of which the first 16 count. */
export type Recent = {
  readonly get: (digest: string) => number | undefined
  readonly set: (digest: string, value: number) => void
}

const wordsOfKey = 4
const charactersOfWord = 4
const bitsOfCharacter = 7
const golden = 0x9e3779b1
/** What stands before the two generations, in words: the mutex, the limit, which one is young, and how many entries each has. */
const head = { mutex: 0, limit: 1, young: 2, sizes: 3, words: 6 } as const

type Key = readonly [number, number, number, number]

const wordOf = (digest: string, number: number): number => {
  let word = 0
  for (let i = number * charactersOfWord; i < (number + 1) * charactersOfWord; i++)
    word = (word << bitsOfCharacter) | digest.charCodeAt(i)
  return word
}

/** No word of a key is 0, since no character is: that marks what is free. */
const keyOf = (digest: string): Key => [wordOf(digest, 0), wordOf(digest, 1), wordOf(digest, 2), wordOf(digest, 3)]

const bitsFor = (limit: number) => Math.ceil(Math.log2(2 * limit))
const bytesOfGeneration = (limit: number) => (4 * wordsOfKey + 8) * 2 ** bitsFor(limit)

/** A hash table of at most `limit` entries with open addressing, at most half full. */
const generation = (memory: SharedArrayBuffer, number: 0 | 1, limit: number) => {
  const at = 4 * head.words + number * bytesOfGeneration(limit)
  const bits = bitsFor(limit)
  const sizes = new Int32Array(memory, 4 * head.sizes, 2)
  const values = new Float64Array(memory, at, 2 ** bits)
  const keys = new Int32Array(memory, at + values.byteLength, wordsOfKey * 2 ** bits)

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
        const size = sizes[number] ?? 0
        if (size === limit) return false
        sizes[number] = size + 1
        keys.set(key, place * wordsOfKey)
      }
      values[place] = value
      return true
    },
    clear: () => {
      keys.fill(0)
      sizes[number] = 0
    },
  }
}

/** Memory for `recent`, of which only what has been used is taken from the machine. */
export const recentMemory = (limit = 100_000): SharedArrayBuffer => {
  const memory = new SharedArrayBuffer(4 * head.words + 2 * bytesOfGeneration(limit))
  new Int32Array(memory)[head.limit] = limit
  return memory
}

/**
 * Remembers at least the newest `limit` entries and at most twice as many, in two generations: a full young one becomes
 * the old one, whose entries are forgotten. Reading an entry makes it young again. It is kept in a few arrays of numbers, which
 * threads share: as objects, the hundred thousands of entries would be most of what the garbage collector has to look at.
 */
export const recent = (memory: SharedArrayBuffer): Recent => {
  const state = new Int32Array(memory, 0, head.words)
  const alone = exclusively(state, head.mutex)
  const limit = state[head.limit] ?? 0
  const generations = [generation(memory, 0, limit), generation(memory, 1, limit)] as const
  const young = () => generations[state[head.young] === 0 ? 0 : 1]
  const old = () => generations[state[head.young] === 0 ? 1 : 0]

  const set = (key: Key, value: number): void => {
    if (young().set(key, value)) return
    old().clear()
    state[head.young] = state[head.young] === 0 ? 1 : 0
    young().set(key, value)
  }
  const get = (key: Key): number | undefined => {
    const value = young().get(key)
    if (value !== undefined) return value
    const older = old().get(key)
    if (older !== undefined) set(key, older)
    return older
  }
  return {
    get: (digest) => {
      const key = keyOf(digest)
      return alone(() => get(key))
    },
    set: (digest, value) => {
      const key = keyOf(digest)
      alone(() => set(key, value))
    },
  }
}
