import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

// This file is imported first. From then on the replay decides which time it is in this process, and knows all random
// values. A time that is made of the clock is that of the replay; any other time is as it was.

const systemNow = Date.now
const systemUuid = crypto.randomUUID
const systemBytes = crypto.randomBytes

let now: () => number = systemNow
/** While the time stands still: how many values of each kind were drawn. */
let drawn: Map<string, number> | undefined

/** The time stands still at this instant. Random values follow from it, because views have hashes of some of them. */
export const standAt = (ms: number): void => {
  if (drawn === undefined || now() !== ms) drawn = new Map()
  now = () => ms
}

/** The time goes on from this instant at its usual speed. Values are random, but known. */
export const goOnFrom = (ms: number): void => {
  const began = performance.now()
  drawn = undefined
  now = () => Math.floor(ms + performance.now() - began)
}

/** The real time again. */
export const systemTime = (): void => {
  drawn = undefined
  now = systemNow
}

globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made === globalThis.Date ? target : made),
  get: (target, name) => (name === 'now' ? () => now() : Reflect.get(target, name)),
})

const known = new Set<string>()
const remember = (text: string): void => {
  if (text.length >= 11) known.add(text)
}

/** The next value of a kind at this instant: other values of the instant do not depend on how many there are. */
const next = (kind: string, values: Map<string, number>): Buffer => {
  const n = values.get(kind) ?? 0
  values.set(kind, n + 1)
  return crypto.createHash('sha256').update(`${now()} ${kind} ${n}`).digest()
}

const uuidOf = (bytes: Buffer): ReturnType<typeof systemUuid> => {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

crypto.randomUUID = (...options) => {
  if (drawn !== undefined) return uuidOf(next('uuid', drawn))
  const uuid = systemUuid(...options)
  remember(uuid)
  return uuid
}
crypto.randomBytes = ((size: number, ...callback: []) => {
  if (drawn !== undefined && size <= 32 && callback.length === 0) return next(`bytes ${size}`, drawn).subarray(0, size)
  const bytes = systemBytes(size, ...callback)
  if (Buffer.isBuffer(bytes)) {
    for (const form of ['hex', 'base64url', 'base64'] as const) remember(bytes.toString(form))
    // The ids of a trace and its span are drawn together.
    if (size === 24) for (const id of [bytes.subarray(0, 16), bytes.subarray(16)]) remember(id.toString('hex'))
  }
  return bytes
}) as typeof crypto.randomBytes
syncBuiltinESMExports()

const candidates = [
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g,
  /(?<![\da-f])[\da-f]{12,}(?![\da-f])/g,
  /[\w+/=-]{11,}/g,
]

/**
 * The text with a name for each random value: only for values that this process has drawn, in the order in which they
 * appear in it. So it is seen if one id is at two places, or if a value that should be random is not.
 */
export const withNames = (text: string): string => {
  const names = new Map<string, string>()
  const nameOf = (value: string): string => {
    if (!known.has(value)) return value
    const name = names.get(value) ?? `<random ${names.size + 1}>`
    names.set(value, name)
    return name
  }
  return candidates.reduce((changed, candidate) => changed.replace(candidate, nameOf), text)
}

/** A name that no other run has. It is not one of the known values. */
export const ownName = (): string => `golden${systemBytes(5).toString('hex')}`
