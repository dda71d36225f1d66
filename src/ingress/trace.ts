import { randomUUID } from 'node:crypto'

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

// Of pooled randomness, a fifth of the price of a call for random bytes.
const hex = () => randomUUID().replaceAll('-', '')

/** The request's traceparent (W3C Trace Context) where it is well-formed, else the beginning of a new trace. */
export const traceparentOf = (header: string): string =>
  wellFormed.test(header) ? header : `00-${hex()}-${hex().slice(-16)}-01`

/** The request's own id where it is one word of 1 to 128 plain characters, else a new one. */
export const requestIdOf = (header: string): string => (/^[\w.:-]{1,128}$/.test(header) ? header : randomUUID())
