import { crc32 } from 'node:zlib'

/** 8 MB: of a million keys one in sixty others is taken for. */
const bits = 2 ** 26

/** Which keys there may be: a Bloom filter with one hash, in memory that threads share. */
export type KeyFilter = {
  readonly add: (key: string) => void
  /** False where no key was ever added, known as below. */
  readonly hasAny: () => boolean
  /** False where the key was never added, which only a filter tells that is known to have all of them. */
  readonly mayHave: (key: string) => boolean
  /** Says whether it has all keys that there are. */
  readonly setWhole: (isWhole: boolean) => void
}

const [whole, some, head] = [0, 1, 2]

export const filterMemory = () => new SharedArrayBuffer(4 * head + bits / 8)

/** A key's bit is never taken back: it then says 'may be' of one that is not there any more. */
export const keyFilter = (memory: SharedArrayBuffer): KeyFilter => {
  const state = new Int32Array(memory, 0, head)
  const words = new Int32Array(memory, 4 * head)
  const is = (what: number) => Atomics.load(state, what) === 1
  const placeOf = (key: string) => crc32(key) & (bits - 1)
  return {
    add: (key) => {
      const place = placeOf(key)
      Atomics.or(words, place >>> 5, 1 << (place & 31))
      Atomics.store(state, some, 1)
    },
    hasAny: () => is(some) || !is(whole),
    mayHave: (key) => {
      if (!is(whole)) return true
      const place = placeOf(key)
      return (Atomics.load(words, place >>> 5) & (1 << (place & 31))) !== 0
    },
    setWhole: (isWhole) => {
      Atomics.store(state, whole, isWhole ? 1 : 0)
    },
  }
}
