import { crc32 } from 'node:zlib'

/** 8 MB: of a million keys one in sixty others is taken for. */
const bits = 2 ** 26

/** Which keys there may be: a Bloom filter with one hash, in memory that threads share. */
export type KeyFilter = {
  readonly add: (key: string) => void
  /** False where the key was never added, which only a filter tells that is known to have all of them. */
  readonly mayHave: (key: string) => boolean
  /** Says whether it has all keys that there are. */
  readonly setWhole: (isWhole: boolean) => void
}

export const filterMemory = () => new SharedArrayBuffer(4 + bits / 8)

/** A key's bit is never taken back: it then says 'may be' of one that is not there any more. */
export const keyFilter = (memory: SharedArrayBuffer): KeyFilter => {
  const whole = new Int32Array(memory, 0, 1)
  const words = new Int32Array(memory, 4)
  const placeOf = (key: string) => crc32(key) & (bits - 1)
  return {
    add: (key) => {
      const place = placeOf(key)
      Atomics.or(words, place >>> 5, 1 << (place & 31))
    },
    mayHave: (key) => {
      if (Atomics.load(whole, 0) === 0) return true
      const place = placeOf(key)
      return (Atomics.load(words, place >>> 5) & (1 << (place & 31))) !== 0
    },
    setWhole: (isWhole) => {
      Atomics.store(whole, 0, isWhole ? 1 : 0)
    },
  }
}
