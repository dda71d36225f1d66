import { randomFillSync, randomUUID } from 'node:crypto'

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

const bytesOfTrace = 24
const digitsOfTraceId = 32
const pool = Buffer.alloc(bytesOfTrace * 128)
let used = pool.length

/** 48 hexadecimal digits, of randomness that is drawn for many at once: a tenth of the price of a call for each. */
const randomDigits = (): string => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytesOfTrace
  return pool.toString('hex', used - bytesOfTrace, used)
}

const newTrace = (): string => {
  const digits = randomDigits()
  return `00-${digits.slice(0, digitsOfTraceId)}-${digits.slice(digitsOfTraceId)}-01`
}

/** The request's traceparent (W3C Trace Context) where it is well-formed, else the beginning of a new trace. */
export const traceparentOf = (header: string): string => (wellFormed.test(header) ? header : newTrace())

/** The request's own id where it is one word of 1 to 128 plain characters, else a new one. */
export const requestIdOf = (header: string): string => (/^[\w.:-]{1,128}$/.test(header) ? header : randomUUID())
